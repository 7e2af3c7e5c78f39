import { texts } from './language.ts';

export const t = texts({
  yourPasswordIsChanged: ['Your password is changed', 'Das Passwort ist geändert'],
  choosePassword: ['Choose a password', 'Passwort wählen'],
  welcomePrintedPasswordHasBeen: [
    (username: string) =>
      `Welcome, ${username}. The printed password has been on a screen and perhaps in a log: choose your own.`,
    (username: string) =>
      `Willkommen, ${username}. Das ausgegebene Passwort stand auf einem Bildschirm und vielleicht in einem Log: Wähle ein eigenes.`,
  ],
  changePassword: ['Change the password', 'Passwort ändern'],
  signOut: ['Sign out', 'Abmelden'],
  currentPassword: ['Current password', 'Aktuelles Passwort'],
  newPassword: ['New password', 'Neues Passwort'],
  newPasswordAgain: ['New password again', 'Neues Passwort wiederholen'],
  twoAreNotSame: ['The two are not the same', 'Die beiden sind nicht gleich'],
  signIn: ['Sign in', 'Anmelden'],
  or: ['or', 'oder'],
  signInWith: [(provider: string) => `Sign in with ${provider}`, (provider: string) => `Anmelden mit ${provider}`],
  signInWithPasskey: ['Sign in with a passkey', 'Anmelden mit einem Passkey'],
  signingIn: ['Signing in …', 'Anmeldung läuft …'],
  beginAgain: ['Begin again', 'Neu beginnen'],
  forgotPassword: ['Forgot your password?', 'Passwort vergessen?'],
  linkIsMailed: [
    'The address of your account is mailed a link that is good for an hour.',
    'Die Adresse deines Kontos bekommt eine E-Mail mit einem Link, der eine Stunde gilt.',
  ],
  lookIntoYourMail: [
    (email: string) => `If an account has the address ${email}, a link is on its way there.`,
    (email: string) => `Wenn ein Konto die Adresse ${email} hat, ist ein Link dorthin unterwegs.`,
  ],
  mailTheLink: ['Mail the link', 'Link schicken'],
  confirmYourAddress: ['Confirm your address', 'Adresse bestätigen'],
  itIsMine: ['This address is mine', 'Diese Adresse gehört mir'],
  yourAddressIsConfirmed: ['Your address is confirmed', 'Die Adresse ist bestätigt'],
  yourAddressWasChanged: ['The address of your account was changed', 'Die Adresse deines Kontos wurde geändert'],
  takeItBack: ['It was not me: take it back', 'Das war ich nicht: zurücknehmen'],
  addressIsBack: [
    'Your account has this address again, and all sessions have ended. A link for another password is on its way.',
    'Dein Konto hat wieder diese Adresse, alle Sitzungen sind beendet. Ein Link für ein neues Passwort ist unterwegs.',
  ],
  goOn: ['Go on', 'Weiter'],
  emailOrUserName: ['Email or user name', 'E-Mail oder Benutzername'],
  yourSessionIsOver: ['Your session is over', 'Die Sitzung ist beendet'],
  signInAgainToGo: [
    'Sign in again to go on where you were: what you have typed is still there.',
    'Neu anmelden, um weiterzumachen: Alles Eingegebene ist noch da.',
  ],
  leaveThisPage: ['Leave this page', 'Diese Seite verlassen'],
  makeAccount: ['Make an account', 'Konto anlegen'],
  forYourOwnDevicesAnd: [
    'For your own devices and products on this service.',
    'Für eigene Geräte und Produkte auf diesem Dienst.',
  ],
  makeTheAccount: ['Make the account', 'Konto anlegen'],
  signInInstead: ['Sign in instead', 'Stattdessen anmelden'],
  atLeast12Characters: [
    'At least 12 characters, or 8 beside a second factor; none that many people choose',
    'Mindestens 12 Zeichen oder 8 mit zweitem Faktor; keins, das viele wählen',
  ],
  yourInvitation: ['Your invitation', 'Deine Einladung'],
  lookingItUp: ['Looking it up …', 'Wird geprüft …'],
  firstTimeAddressAndPassword: [
    'The first time: the address and password that the service has printed when it started.',
    'Beim ersten Mal: mit der Adresse und dem Passwort, die der Dienst beim Start ausgegeben hat.',
  ],
});
