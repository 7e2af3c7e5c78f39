import { texts } from './language.ts';

export const t = texts({
  audit: ['Audit', 'Audit'],
  whoHasChangedWhat: [
    'Who has changed what, with which token and from where. A row is never altered; "Check" says whether that is so.',
    'Wer was geändert hat, mit welchem Token und von wo. Keine Zeile wird je geändert; „Prüfen“ sagt, ob das stimmt.',
  ],
  whoHasChangedWhatShort: ['Who has changed what', 'Wer was geändert hat'],
  filtersOfAudit: ['Filters of the audit', 'Filter des Audits'],
  person: ['Person (user name)', 'Person (Benutzername)'],
  object: ['Object or product (id)', 'Objekt oder Produkt (ID)'],
  action: ['Action', 'Aktion'],
  what: ['What', 'Was'],
  before: ['Before', 'Vorher'],
  after: ['After', 'Nachher'],
  fromAddress: ['From', 'Von'],
  token: ['Token', 'Token'],
  fromDay: ['From day', 'Ab Tag'],
  beforeDay: ['Before day', 'Vor Tag'],
  noChangeFits: ['No change fits the filters', 'Keine Änderung passt zu den Filtern'],
  check: ['Check', 'Prüfen'],
  isWhole: ['The audit is whole', 'Das Audit ist unversehrt'],
  isBroken: ['The audit is not whole', 'Das Audit ist nicht unversehrt'],
  rowsAreAsWritten: [
    (rows: number) =>
      `${rows} rows are as they were written. Note this where nobody alters it; "moorage audit verify" takes it.`,
    (rows: number) =>
      `${rows} Zeilen sind, wie sie geschrieben wurden. Notiere dies, wo es niemand ändert; „moorage audit verify“ nimmt es.`,
  ],
  firstThatIsWrong: [
    (row: number) => `Row ${row} is the first that is not right.`,
    (row: number) => `Zeile ${row} ist die erste, die nicht stimmt.`,
  ],
});
