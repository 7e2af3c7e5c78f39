import { texts } from './language.ts';

export const t = texts({
  secondFactor: ['Second factor', 'Zweiter Faktor'],
  passwordAlone: [
    'Whoever has your password has your account. A second factor keeps them out.',
    'Wer dein Passwort hat, hat dein Konto. Ein zweiter Faktor hält andere draußen.',
  ],
  serviceWantsOne: [
    'This service wants a second factor of your account. Set one up to go on.',
    'Dieser Dienst verlangt für dein Konto einen zweiten Faktor. Richte ihn ein, um weiterzumachen.',
  ],
  appWithCodes: ['App that shows codes', 'App, die Codes anzeigt'],
  setUpSince: [(moment: string) => `Set up ${moment}`, (moment: string) => `Eingerichtet ${moment}`],
  notSetUp: ['Not set up', 'Nicht eingerichtet'],
  setUpApp: ['Set up an app', 'App einrichten'],
  setUpAnotherApp: ['Set up another app', 'Andere App einrichten'],
  showWhoYouAre: ['Show who you are', 'Zeige, wer du bist'],
  accountCouldBeTaken: [
    'Accounts can be taken by changes like this one, so they are for who has just shown a password, a passkey or a code.',
    'Mit solchen Änderungen lassen sich Konten übernehmen. Darum gehen sie nur kurz nach Passwort, Passkey oder Code.',
  ],
  orCode: ['Or a code of your app, or a recovery code', 'Oder ein Code der App oder ein Wiederherstellungscode'],
  appIsNeeded: [
    'You need an app that shows codes, on your phone or on this computer.',
    'Du brauchst eine App, die Codes anzeigt, auf dem Telefon oder diesem Rechner.',
  ],
  goOn: ['Go on', 'Weiter'],
  scanThis: [
    'Scan this with the app, or type the secret there. Then type the code that it shows.',
    'Scanne dies mit der App oder tippe dort das Geheimnis ein. Gib dann den Code ein, den sie zeigt.',
  ],
  codeForApp: ['Code for your app', 'Code für die App'],
  secret: ['Secret', 'Geheimnis'],
  codeOfApp: ['Code of the app', 'Code der App'],
  confirmApp: ['Confirm', 'Bestätigen'],
  recoveryCodes: ['Recovery codes', 'Wiederherstellungscodes'],
  theRecoveryCodes: ['The list of recovery codes', 'Die Liste der Wiederherstellungscodes'],
  keepThem: [
    'Keep them where you find them without your phone. Each of them signs you in once.',
    'Bewahre sie so auf, dass du sie ohne Telefon findest. Mit jedem kannst du dich einmal anmelden.',
  ],
  codesLeft: [
    (count: number) => (count === 1 ? 'one is left' : `${count} are left`),
    (count: number) => (count === 1 ? 'einer ist übrig' : `${count} sind übrig`),
  ],
  makeCodes: ['Make new codes', 'Neue Codes erstellen'],
  oldCodesStop: ['Those before stop working.', 'Die bisherigen gelten dann nicht mehr.'],
  remove: ['Remove', 'Entfernen'],
  removeApp: ['Remove the app', 'App entfernen'],
  withoutIt: [
    'Without another factor the password alone signs you in, and the recovery codes go.',
    'Ohne weiteren Faktor genügt dann das Passwort, und die Wiederherstellungscodes entfallen.',
  ],
  appIsRemoved: ['The app is removed', 'Die App ist entfernt'],
  codeOrRecovery: ['Code of your app, or a recovery code', 'Code der App oder ein Wiederherstellungscode'],
  accountHasOne: [
    'Your account has a second factor: finish signing in with it.',
    'Dein Konto hat einen zweiten Faktor: Schließe die Anmeldung damit ab.',
  ],
  finish: ['Finish', 'Abschließen'],
  begin: ['Begin again', 'Neu beginnen'],
});
