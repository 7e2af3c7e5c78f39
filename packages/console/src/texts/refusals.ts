import type { ErrorCode } from '@moorage/api';
import { texts } from './language.ts';

/** Fields of bodies under the names that their inputs have here. */
export const fields = texts({
  title: ['Title', 'Titel'],
  name: ['Name', 'Name'],
  code: ['Code', 'Code'],
  description: ['Description', 'Beschreibung'],
  username: ['User name', 'Benutzername'],
  email: ['Email', 'E-Mail'],
  password: ['Password', 'Passwort'],
  version: ['Version', 'Version'],
  value: ['Value', 'Wert'],
  filter: ['Filter', 'Filter'],
  reason: ['Why', 'Grund'],
  until: ['Until', 'Bis'],
  from: ['From', 'Von'],
  to: ['To', 'Bis'],
  scenario: ['Scenario', 'Szenario'],
  scopes: ['What it may do', 'Was es darf'],
  days: ['Days that it is good for', 'Tage, die es gilt'],
  labels: ['Labels', 'Labels'],
  location: ['Place', 'Standort'],
  part_id: ['Part id', 'Teile-ID'],
  part_number: ['Part number', 'Teilenummer'],
  uses: ['Devices that can be claimed with it', 'Geräte, die damit beansprucht werden können'],
  filename: ['Name of the file', 'Name der Datei'],
  name_given: ['Given name', 'Vorname'],
  name_family: ['Family name', 'Nachname'],
  current_password: ['Current password', 'Aktuelles Passwort'],
  platform_id: ['Platform', 'Plattform'],
  firmware_id: ['Firmware', 'Firmware'],
  flavor_id: ['Edition', 'Edition'],
  product_id: ['Product', 'Produkt'],
  mail_to: ['By mail to', 'Per E-Mail an'],
  'opts.url': ['URL', 'URL'],
  'opts.ca': ['Certificate', 'Zertifikat'],
});

type Both = readonly [en: string, de: string];

/** What the user can do about a refusal, where its status alone does not say enough. */
export const adviceByCode = texts({
  WRONG_PASSWORD: ['Type the password that you signed in with.', 'Das Passwort eingeben, mit dem du angemeldet bist.'],
  WRONG_LOGIN: [
    'Check both, also whether capital letters are locked.',
    'Beides prüfen, auch ob die Feststelltaste aktiv ist.',
  ],
  WRONG_PASSKEY: ['Try again, or choose another way.', 'Noch einmal versuchen oder einen anderen Weg wählen.'],
  NO_PASSKEYS: ['Open the page by its name, with https.', 'Die Seite unter ihrem Namen öffnen, mit https.'],
  CROSS_SITE: ['Reload the page, and do it again from there.', 'Die Seite neu laden und es von dort noch einmal tun.'],
  DUPLICATE: ['Choose another, or change the one that is there.', 'Etwas anderes wählen oder das vorhandene ändern.'],
  NOT_AN_IMAGE: ['Choose a picture of one of these kinds.', 'Ein Bild in einem dieser Formate wählen.'],
  UPLOAD_CUT: ['Send the file again.', 'Die Datei noch einmal senden.'],
  UPLOAD_STALLED: [
    'Check your network, then send the file again.',
    'Das Netzwerk prüfen und die Datei noch einmal senden.',
  ],
  TARGET_NOT_ALLOWED: [
    'Choose a public address, or have whoever runs the service allow this one.',
    'Eine öffentliche Adresse wählen oder diese vom Betreiber des Dienstes erlauben lassen.',
  ],
  CONNECTOR_FAILED: [
    'Check the address and what its service says, then test again.',
    'Die Adresse und die Meldung des Zieldienstes prüfen, dann noch einmal testen.',
  ],
  CONNECTOR_TIMED_OUT: [
    'Check that the target is up, or give it more time in the options, then test again.',
    'Prüfen, ob das Ziel läuft, oder ihm in den Optionen mehr Zeit geben; dann noch einmal testen.',
  ],
  NO_MAIL_SERVER: [
    'Leave the addresses out, or have whoever runs the service set "--smtp-url".',
    'Die Adressen weglassen oder den Betreiber des Dienstes „--smtp-url“ setzen lassen.',
  ],
  BUNDLE_FROZEN: ['Create another bundle for other files.', 'Für andere Dateien ein weiteres Bundle erstellen.'],
  BUNDLE_IN_USE: [
    'Abort these rollouts, or wait for their end; let pinned devices go.',
    'Diese Rollouts abbrechen oder ihr Ende abwarten; festgehaltene Geräte freigeben.',
  ],
  BUNDLE_NOT_PUBLISHED: ['Publish it first.', 'Es zuerst veröffentlichen.'],
  BUNDLE_TAGGED: ['Its menu has "Change the tag".', 'In seinem Menü steht „Tag ändern“.'],
  ILLEGAL_TRANSITION: [
    'Somebody may have changed it meanwhile; the page shows what it is now.',
    'Vielleicht wurde es inzwischen geändert; die Seite zeigt den jetzigen Stand.',
  ],
  PRODUCT_IN_USE: [
    'Activate its devices to another product first.',
    'Zuerst seine Geräte für ein anderes Produkt aktivieren.',
  ],
  PRODUCT_ARCHIVED: [
    'Publish the product again, or choose another.',
    'Das Produkt wieder veröffentlichen oder ein anderes wählen.',
  ],
  NO_RELEASE_CANDIDATE: [
    'Tag one of its published bundles first.',
    'Zuerst einem veröffentlichten Bundle das Tag geben.',
  ],
  PLATFORM_WITHOUT_EDITION: [
    'An administrator has to add an edition to the platform first.',
    'Zuerst muss die Verwaltung der Plattform eine Edition hinzufügen.',
  ],
  STORE_FULL: [
    'Delete what is no longer needed, or send less.',
    'Löschen, was nicht mehr gebraucht wird, oder weniger senden.',
  ],
  LIMIT_REACHED: ['Remove one that is no longer needed.', 'Eines entfernen, das nicht mehr gebraucht wird.'],
  VERSIONS_EXHAUSTED: ['Type a version that is not taken.', 'Eine Version eingeben, die noch frei ist.'],
  BODY_TOO_LARGE: ['Send a smaller file.', 'Eine kleinere Datei senden.'],
  DEVICE_LOCKED: [
    'Its owner can take it off that product, back to the base edition of its platform.',
    'Wem es gehört, kann es von diesem Produkt lösen, zurück auf die Basis-Edition seiner Plattform.',
  ],
  PRODUCTION_DEVICE: [
    'Its owner has to take it off that product first, back to the base edition of its platform.',
    'Wem es gehört, muss es zuerst von diesem Produkt lösen, zurück auf die Basis-Edition seiner Plattform.',
  ],
  PLATFORM_MISMATCH: ['Choose one of the same platform.', 'Eines mit derselben Plattform wählen.'],
  STORAGE_FULL: [
    'Tell whoever runs the service: its disk is full.',
    'Dem Betreiber des Dienstes melden: Die Platte ist voll.',
  ],
  INTERNAL: [
    'Try again; if it fails again, tell whoever runs the service: its log says why.',
    'Noch einmal versuchen; wenn es wieder fehlschlägt, dem Betreiber melden: Das Log des Dienstes nennt den Grund.',
  ],
} satisfies Partial<Readonly<Record<ErrorCode, Both>>>);

export const t = texts({
  yourSessionIsOver: ['Your session is over', 'Die Sitzung ist beendet'],
  thisAddressNamesNothingThat: ['This address names nothing that exists', 'Unter dieser Adresse gibt es nichts'],
  reloadPageIfItStays: [
    'Reload the page; if it stays like this, tell whoever runs the service.',
    'Die Seite neu laden; wenn es so bleibt, dem Betreiber des Dienstes melden.',
  ],
  checkThatItIsRunning: [
    'Check that it is running and that your network works; this page tries again.',
    'Prüfen, ob er läuft und das Netzwerk funktioniert; diese Seite versucht es weiter.',
  ],
  signInAgainThenDo: ['Sign in again, then do it once more.', 'Neu anmelden und es noch einmal tun.'],
  somebodyWithMoreRightsHas: [
    'Somebody with more rights has to do this, or has to let you in.',
    'Das muss jemand mit mehr Rechten tun oder dir Zugriff geben.',
  ],
  itMayHaveBeenDeleted: [
    'It may have been deleted, or you are not allowed to see it.',
    'Es wurde vielleicht gelöscht, oder du darfst es nicht sehen.',
  ],
  somethingElseHasToBe: ['Something else has to be changed first.', 'Zuerst muss etwas anderes geändert werden.'],
  waitMomentThenTryAgain: ['Wait a moment, then try again.', 'Einen Moment warten und es noch einmal versuchen.'],
  logOfServiceSaysWhy: ['The log of the service says why.', 'Das Log des Dienstes nennt den Grund.'],
  correctItThenTryAgain: ['Correct it, then try again.', 'Korrigieren und noch einmal versuchen.'],
});
