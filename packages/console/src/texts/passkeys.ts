import { texts } from './language.ts';

export const t = texts({
  passkeys: ['Passkeys', 'Passkeys'],
  whatTheyAre: [
    'What unlocks your device, or a security key: it signs you in alone, or after your password.',
    'Womit du dein Gerät entsperrst, oder ein Sicherheitsschlüssel: meldet dich allein an oder nach deinem Passwort.',
  ],
  addPasskey: ['Add a passkey', 'Passkey hinzufügen'],
  passkeyIsAdded: ['The passkey is added', 'Der Passkey ist hinzugefügt'],
  name: ['Name', 'Name'],
  nameOf: [(count: number) => `Passkey ${count}`, (count: number) => `Passkey ${count}`],
  nameTellsThemApart: [
    'By which you know it again, such as the device that holds it.',
    'Woran du ihn wiedererkennst, etwa das Gerät, auf dem er liegt.',
  ],
  made: [(moment: string) => `made ${moment}`, (moment: string) => `erstellt ${moment}`],
  lastUsed: [(moment: string) => `used ${moment}`, (moment: string) => `benutzt ${moment}`],
  neverUsed: ['never used', 'nie benutzt'],
  rename: ['Rename', 'Umbenennen'],
  renameOne: [(title: string) => `Rename ${title}`, (title: string) => `${title} umbenennen`],
  remove: ['Remove', 'Entfernen'],
  removeOne: [(title: string) => `Remove ${title}`, (title: string) => `${title} entfernen`],
  passkeyIsRemoved: ['The passkey is removed', 'Der Passkey ist entfernt'],
  addressHasNone: [
    'This address can have no passkeys: they need https and a name in the address, or localhost.',
    'Unter dieser Adresse geht das nicht: Passkeys brauchen https und einen Namen in der Adresse, oder localhost.',
  ],
  onlyAt: [
    (address: string) => `The passkeys of this service are for ${address} alone: open it there.`,
    (address: string) => `Die Passkeys dieses Dienstes gelten nur unter ${address}: Öffne ihn dort.`,
  ],
  browserHasNone: ['This browser has no passkeys.', 'Dieser Browser hat keine Passkeys.'],
  usePasskey: ['Use a passkey', 'Passkey benutzen'],
  passkeyInstead: ['Use a passkey instead', 'Stattdessen einen Passkey benutzen'],
  appInstead: ['Use an app instead', 'Stattdessen eine App benutzen'],
  isThereAlready: [
    'What you have chosen holds a passkey of your account already',
    'Dort liegt schon ein Passkey deines Kontos',
  ],
  nothingWasShown: [
    'No passkey was used: it was cancelled, took too long, or there is none here',
    'Kein Passkey wurde benutzt: abgebrochen, zu lange gewartet, oder hier liegt keiner',
  ],
});
