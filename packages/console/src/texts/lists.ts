import { texts } from './language.ts';

export const t = texts({
  export: ['Export', 'Exportieren'],
  csv: ['CSV, for spreadsheets', 'CSV, für Tabellenprogramme'],
  jsonl: ['JSON lines, for programs', 'JSON-Zeilen, für Programme'],
  toTheFirstPage: ['To the first page', 'Zur ersten Seite'],
  goOn: ['Go on', 'Weiter'],
  searchOn: ['Search on', 'Weitersuchen'],
  notFoundBackTo: [
    (moment: string) => `Nothing found back to ${moment}, the search goes on`,
    (moment: string) => `Nichts gefunden bis zurück zum ${moment}, die Suche geht weiter`,
  ],
  searchedBackTo: [
    (moment: string) => `Looked through back to ${moment}`,
    (moment: string) => `Durchsucht bis zurück zum ${moment}`,
  ],
  savedViews: ['Saved views', 'Gespeicherte Ansichten'],
  views: ['Views …', 'Ansichten …'],
  nameOfTheView: ['Name of the view', 'Name der Ansicht'],
  whatAViewKeeps: [
    'Filters, order and columns are kept under it, in all browsers that you sign in with.',
    'Darunter bleiben Filter, Reihenfolge und Spalten, in allen Browsern, mit denen du dich anmeldest.',
  ],
  saveThisView: ['Save this view', 'Diese Ansicht speichern'],
  saveThisViewMore: ['Save this view …', 'Diese Ansicht speichern …'],
  saveOver: [(title: string) => `Save over "${title}"`, (title: string) => `„${title}“ überschreiben`],
  rename: ['Rename', 'Umbenennen'],
  renameView: [(title: string) => `Rename "${title}"`, (title: string) => `„${title}“ umbenennen`],
  renameViewMore: [(title: string) => `Rename "${title}" …`, (title: string) => `„${title}“ umbenennen …`],
  showsThisNow: [
    (title: string) => `"${title}" shows what is shown now`,
    (title: string) => `„${title}“ zeigt, was jetzt zu sehen ist`,
  ],
  deleteView: [(title: string) => `Delete the view "${title}"?`, (title: string) => `Ansicht „${title}“ löschen?`],
  deleteViewMore: [(title: string) => `Delete "${title}" …`, (title: string) => `„${title}“ löschen …`],
  whatDeletingAViewDoes: [
    'Its name goes; nothing that it shows does.',
    'Ihr Name verschwindet, von dem, was sie zeigt, nichts.',
  ],
  delete: ['Delete', 'Löschen'],
});
