import { texts } from './language.ts';

export const t = texts({
  serviceAccounts: ['Service accounts', 'Dienstkonten'],
  whatTheyAre: [
    'Accounts of programs, such as a build. They belong to the product and stay when people leave; they cannot sign in.',
    'Konten von Programmen, etwa einem Build. Sie gehören zum Produkt und bleiben, wenn Leute gehen; anmelden können sie sich nicht.',
  ],
  newOne: ['New service account', 'Neues Dienstkonto'],
  nameRule: ['Lower-case letters, digits, _ . and -', 'Kleinbuchstaben, Ziffern, _ . und -'],
  make: ['Make it', 'Erstellen'],
  none: ['There is none yet', 'Es gibt noch keines'],
  tokens: ['Tokens', 'Tokens'],
  newToken: ['New token', 'Neues Token'],
  newTokenOf: [(user: string) => `New token of ${user}`, (user: string) => `Neues Token von ${user}`],
  copyIt: [
    'Copy it now. Whoever has it can do on this product what it is for; revoke it when it is no longer needed.',
    'Jetzt kopieren. Wer es hat, kann an diesem Produkt tun, wofür es ist; widerrufen, sobald es nicht mehr gebraucht wird.',
  ],
  disable: ['Disable', 'Sperren'],
  letIn: ['Let in', 'Zulassen'],
  disabled: ['disabled', 'gesperrt'],
  deleteOne: [(user: string) => `Delete ${user}?`, (user: string) => `${user} löschen?`],
  deleteBody: [
    'Its tokens are refused from the next request on. What it has made becomes yours.',
    'Seine Tokens werden ab der nächsten Anfrage abgelehnt. Was es gemacht hat, gehört dann dir.',
  ],
});
