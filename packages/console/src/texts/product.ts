import { texts } from './language.ts';

export const t = texts({
  releases: ['Releases', 'Releases'],
  onboarding: ['Onboarding', 'Aufnahme'],
  settings: ['Settings', 'Einstellungen'],
  isOnItAlready: ['is on it already', 'ist schon dafür aktiviert'],
  lockedBy: [(product: string) => `locked by ${product}`, (product: string) => `gesperrt durch ${product}`],
  hasNoPublishedBundleYet: [
    (title: string) => `${title} has no published bundle yet: until it has one, the device keeps what it runs.`,
    (title: string) => `${title} hat noch kein veröffentlichtes Bundle: Bis dahin behält das Gerät, was es ausführt.`,
  ],
  withItsNextUpdateIt: [
    (title: string) => `With its next update it gets what ${title} offers.`,
    (title: string) => `Mit dem nächsten Update bekommt es, was ${title} anbietet.`,
  ],
  productIsLockedDeviceCan: [
    'The product is locked: the device can then not be reset or moved to another product.',
    'Das Produkt ist gesperrt: Das Gerät lässt sich dann nicht zurücksetzen oder zu einem anderen Produkt bringen.',
  ],
  isActivatedTo: [
    (title: string, product: string) => `${title} is activated to ${product}`,
    (title: string, product: string) => `${title} ist für ${product} aktiviert`,
  ],
  lookingForYourDevices: ['Looking for your devices', 'Deine Geräte werden gesucht'],
  claimOneFromItsCommand: [
    'Claim one from its command line with "dms claim", or provision a software device.',
    'Eines auf seiner Kommandozeile mit „dms claim“ beanspruchen oder ein Software-Gerät provisionieren.',
  ],
  youHaveNoDeviceOf: [
    (platform: string) => `You have no device of platform ${platform}`,
    (platform: string) => `Du hast kein Gerät der Plattform ${platform}`,
  ],
  toDevices: ['To the devices', 'Zu den Geräten'],
  activateDevice: ['Activate the device', 'Gerät aktivieren'],
  yourDevicesOfPlatformType: [
    (platform: string) => `Your devices of platform ${platform}; type part of a title, uuid or MAC address`,
    (platform: string) => `Deine Geräte der Plattform ${platform}; Teil von Titel, UUID oder MAC-Adresse eingeben`,
  ],
  chooseDevice: ['Choose a device', 'Gerät wählen'],
  noDeviceOfYoursHas: ['No device of yours has this in it', 'Keines deiner Geräte enthält das'],
  activateADevice: ['Activate a device', 'Gerät aktivieren'],
  activateDeviceTo: [
    (title: string) => `Activate a device to ${title}`,
    (title: string) => `Gerät für ${title} aktivieren`,
  ],
  revokeTokenThatEndsIn: [
    (token: string) => `Revoke the token that ends in ${token}?`,
    (token: string) => `Token widerrufen, das auf ${token} endet?`,
  ],
  couldStillBeClaimedWith: [
    (uses_left: string) => `${uses_left} could still be claimed with it. Devices claimed already keep their owner.`,
    (uses_left: string) =>
      `${uses_left} könnten damit noch beansprucht werden. Schon beanspruchte Geräte bleiben, wem sie gehören.`,
  ],
  revoke: ['Revoke', 'Widerrufen'],
  tokenIsRevoked: ['The token is revoked', 'Das Token ist widerrufen'],
  revokeTokenThatEndsToken: [
    (token: string) => `Revoke the token that ends in ${token}`,
    (token: string) => `Token widerrufen, das auf ${token} endet`,
  ],
  token: ['Token', 'Token'],
  usesLeft: ['Uses left', 'Noch nutzbar'],
  madeBy: ['Made by', 'Erstellt von'],
  theToken: ['The token', 'Das Token'],
  copyItNowWhoeverHas: [
    (uses_left: string) => `Copy it now. Whoever has it can claim ${uses_left} for the owner of this product.`,
    (uses_left: string) =>
      `Jetzt kopieren. Wer es hat, kann ${uses_left} beanspruchen; sie gehören dann, wem dieses Produkt gehört.`,
  ],
  commandForModule: ['Command for the module', 'Befehl für das Modul'],
  makeToken: ['Make the token', 'Token erstellen'],
  devicesThatCanBeClaimed: ['Devices that can be claimed with it', 'Geräte, die damit beansprucht werden können'],
  activationTokens: ['Activation tokens', 'Aktivierungstokens'],
  tokenClaimsDeviceForOwner: [
    'A token claims a device for the owner of the product and activates it in one command: for small runs, without a password on the bench.',
    'Ein Token beansprucht ein Gerät für das Produkt und aktiviert es mit einem Befehl: für kleine Serien, ohne Passwort am Arbeitsplatz.',
  ],
  makeAToken: ['Make a token', 'Token erstellen'],
  activationToken: ['The activation token', 'Das Aktivierungstoken'],
  makeActivationToken: ['Make an activation token', 'Aktivierungstoken erstellen'],
  withOneOnCommandLine: [
    (part: string) => `With one, ${part} on the command line of a module is all that it takes.`,
    (part: string) => `Mit einem genügt ${part} auf der Kommandozeile eines Moduls.`,
  ],
  noActivationTokens: ['No activation tokens', 'Keine Aktivierungstokens'],
  theirBytesAreLostDevices: [
    'Their bytes are lost; devices find the new ones under the same path.',
    'Ihr Inhalt geht verloren; Geräte finden die neuen unter demselben Pfad.',
  ],
  folderForFilesAddedNext: ['Folder for the files added next', 'Ordner für die nächsten Dateien'],
  emptyForNoneFoldersThat: [
    'Empty for none; folders that are dropped keep their own below it',
    'Leer für keinen; abgelegte Ordner behalten darunter ihre eigenen',
  ],
  dropAssetsHere: ['Drop assets here', 'Assets hier ablegen'],
  delete: [(path: string) => `Delete "${path}"?`, (path: string) => `„${path}“ löschen?`],
  itsAreGoneForGood: [
    (size: string) => `Its ${size} are gone for good; devices that ask for it get nothing.`,
    (size: string) => `${size} sind dann endgültig weg; Geräte, die danach fragen, bekommen nichts.`,
  ],
  isDeleted: [(path: string) => `"${path}" is deleted`, (path: string) => `„${path}“ ist gelöscht`],
  download: ['Download', 'Herunterladen'],
  downloadPath: [(path: string) => `Download ${path}`, (path: string) => `${path} herunterladen`],
  deletePath: [(path: string) => `Delete ${path}`, (path: string) => `${path} löschen`],
  path: ['Path', 'Pfad'],
  assets: ['Assets', 'Assets'],
  filesThatAllDevicesOf: [
    (files: string, bytes: string) =>
      `Files that all devices of the product can read, at any time and without an update. Up to ${files} files and ${bytes} in all.`,
    (files: string, bytes: string) =>
      `Dateien, die alle Geräte des Produkts lesen können, jederzeit und ohne Update. Insgesamt bis zu ${files} Dateien und ${bytes}.`,
  ],
  searchAssets: ['Search assets', 'Assets suchen'],
  partOfPath: ['Part of the path', 'Teil des Pfads'],
  noAssetsYet: ['No assets yet', 'Noch keine Assets'],
  picturesSoundsTablesWhatDevices: [
    'Pictures, sounds, tables: what devices fetch when they need it. Drop some above.',
    'Bilder, Töne, Tabellen: was Geräte holen, wenn sie es brauchen. Oben lassen sich welche ablegen.',
  ],
  picturesSoundsTablesWhatDevicesFetch: [
    'Pictures, sounds, tables: what devices fetch when they need it. Managers of the product add them.',
    'Bilder, Töne, Tabellen: was Geräte holen, wenn sie es brauchen. Wer das Produkt betreut, fügt sie hinzu.',
  ],
  noAssetFitsSearch: ['No asset fits the search', 'Kein Asset passt zur Suche'],
  thereIsNoDescriptionYet: ['There is no description yet.', 'Es gibt noch keine Beschreibung.'],
  rolloutBringsBundleToDevices: [
    'A rollout brings a bundle to devices in stages.',
    'Ein Rollout bringt ein Bundle in Stufen zu den Geräten.',
  ],
  thereAreNoRolloutsYet: ['There are no rollouts yet', 'Es gibt noch keine Rollouts'],
  isFrozen: [(product: string) => `${product} is frozen`, (product: string) => `${product} ist eingefroren`],
  freeze: ['Freeze', 'Einfrieren'],
  nothingNewIsOfferedTo: [
    'Nothing new is offered to the devices of the product. Updates that are under way go on, and rollouts wait.',
    'Den Geräten des Produkts wird nichts Neues angeboten. Laufende Updates gehen weiter, Rollouts warten.',
  ],
  withoutOneUntilItIs: ['Without one, until it is thawed.', 'Ohne Angabe, bis es aufgetaut wird.'],
  thaw: [(product: string) => `Thaw ${product}?`, (product: string) => `${product} auftauen?`],
  itsDevicesAreOfferedAgain: [
    'Its devices are offered again what rollouts, tags and pins say. Rollouts that a stop has paused stay paused.',
    'Seinen Geräten wird wieder angeboten, was Rollouts, Tags und Festlegungen sagen. Von einem Stopp pausierte Rollouts bleiben pausiert.',
  ],
  thaw2: ['Thaw', 'Auftauen'],
  isNotFrozenAnyMore: [
    (product: string) => `${product} is not frozen any more`,
    (product: string) => `${product} ist nicht mehr eingefroren`,
  ],
  freeze2: ['Freeze …', 'Einfrieren …'],
  productIsFrozen: ['The product is frozen', 'Das Produkt ist eingefroren'],
  until: [', until', ', bis'],
  thaw3: ['Thaw …', 'Auftauen …'],
  itIsNotFrozenDevices: [
    'It is not frozen: devices are offered what rollouts, tags and pins say.',
    'Es ist nicht eingefroren: Geräten wird angeboten, was Rollouts, Tags und Festlegungen sagen.',
  ],
  freezeProduct: [(product: string) => `Freeze ${product}`, (product: string) => `${product} einfrieren`],
  segmentIsKept: [
    (title: string) => `Segment "${title}" is kept`,
    (title: string) => `Segment „${title}“ ist gespeichert`,
  ],
  keep: ['Keep', 'Behalten'],
  deleteSegment: [(title: string) => `Delete segment "${title}"?`, (title: string) => `Segment „${title}“ löschen?`],
  itsDevicesStayAsThey: [
    'Its devices stay as they are, and rollouts that began with it go on.',
    'Seine Geräte bleiben, wie sie sind, und damit begonnene Rollouts gehen weiter.',
  ],
  segmentIsDeleted: [
    (title: string) => `Segment "${title}" is deleted`,
    (title: string) => `Segment „${title}“ ist gelöscht`,
  ],
  segments: ['Segments', 'Segmente'],
  newSegment: ['New segment …', 'Neues Segment …'],
  segmentIsFilterOfDevices: [
    'A segment is a filter of devices with a name.',
    'Ein Segment ist ein Filter von Geräten mit einem Namen.',
  ],
  thereAreNoSegmentsYet: ['There are no segments yet', 'Es gibt noch keine Segmente'],
  segment: ['Segment', 'Segment'],
  filter: ['Filter', 'Filter'],
  change: ['Change …', 'Ändern …'],
  changeTitle: [(title: string) => `Change ${title}`, (title: string) => `${title} ändern`],
  deleteTitle: [(title: string) => `Delete ${title}`, (title: string) => `${title} löschen`],
  changeSegment: ['Change segment', 'Segment ändern'],
  newSegment2: ['New segment', 'Neues Segment'],
  lockDevicesOf: [
    (title: string) => `Lock the devices of "${title}"?`,
    (title: string) => `Geräte von „${title}“ sperren?`,
  ],
  letDevicesOfBeClaimed: [
    (title: string) => `Let the devices of "${title}" be claimed?`,
    (title: string) => `Geräte von „${title}“ beanspruchen lassen?`,
  ],
  nobodyCanClaimResetOr: [
    (device_count: string) =>
      `Nobody can claim, reset or activate to another product any of its ${device_count} devices; their owners can take them off the product.`,
    (device_count: string) =>
      `Niemand kann dann eines seiner ${device_count} Geräte beanspruchen, zurücksetzen oder für ein anderes Produkt aktivieren; wem sie gehören, kann sie vom Produkt lösen.`,
  ],
  whoeverHasOneOfIts: [
    (device_count: string) =>
      `Whoever has one of its ${device_count} devices in hand can claim it, and its owner can reset it.`,
    (device_count: string) =>
      `Wer eines seiner ${device_count} Geräte in der Hand hat, kann es beanspruchen, und wem es gehört, kann es zurücksetzen.`,
  ],
  lock: ['Lock', 'Sperren'],
  makeClaimable: ['Make claimable', 'Beanspruchbar machen'],
  devicesAreLocked: ['The devices are locked', 'Die Geräte sind gesperrt'],
  devicesCanBeClaimed: ['The devices can be claimed', 'Die Geräte können beansprucht werden'],
  devicesCanBeClaimedAnd: ['Devices can be claimed and reset', 'Geräte können beansprucht und zurückgesetzt werden'],
  withoutItDevicesAreLocked: [
    'Without it the devices are locked: nobody can claim or reset them; their owners can take them off the product.',
    'Sonst sind die Geräte gesperrt: Niemand kann sie beanspruchen oder zurücksetzen; wem sie gehören, kann sie vom Produkt lösen.',
  ],
  edition: [(title: string) => `Edition "${title}"`, (title: string) => `Edition „${title}“`],
  yourRole: ['Your role', 'Deine Rolle'],
  nothingPublishedYet: ['nothing published yet', 'noch nichts veröffentlicht'],
  claiming: ['Claiming', 'Beanspruchen'],
  itsDevicesCanBeClaimed: [
    'its devices can be claimed and reset',
    'seine Geräte können beansprucht und zurückgesetzt werden',
  ],
  itsDevicesAreLocked: ['its devices are locked', 'seine Geräte sind gesperrt'],
  manager: ['Manager', 'Betreuung'],
  changesTextsBundlesTagsAssets: [
    'Changes texts, bundles, tags, assets and connectors',
    'Ändert Texte, Bundles, Tags, Assets und Konnektoren',
  ],
  tester: ['Tester', 'Test'],
  seesProductAndCanActivate: [
    'Sees the product and can activate devices to it',
    'Sieht das Produkt und kann Geräte dafür aktivieren',
  ],
  roleOf: [(user: string) => `Role of ${user}`, (user: string) => `Rolle von ${user}`],
  isNow: [
    (user: string, role: string) => `${user} is ${role} now`,
    (user: string, role: string) => `${user}: neue Rolle ${role}`,
  ],
  takeOffProduct: [
    (user: string) => `Take ${user} off the product?`,
    (user: string) => `${user} aus dem Produkt entfernen?`,
  ],
  theyNoLongerSeeIt: [
    'They no longer see it unless it is published. Devices of their own stay activated to it.',
    'Das Produkt ist dann nicht mehr sichtbar, solange es nicht veröffentlicht ist. Eigene Geräte bleiben dafür aktiviert.',
  ],
  takeOff: ['Take off', 'Entfernen'],
  isOffProduct: [
    (user: string) => `${user} is off the product`,
    (user: string) => `${user} ist aus dem Produkt entfernt`,
  ],
  takeOffTheProduct: ['Take off the product', 'Aus dem Produkt entfernen'],
  takeOffProductUser: [
    (user: string) => `Take ${user} off the product`,
    (user: string) => `${user} aus dem Produkt entfernen`,
  ],
  addUser: ['Add the user', 'Person hinzufügen'],
  userNameOrEmail: ['User name or email', 'Benutzername oder E-Mail'],
  theyNeedAccountAtThis: [
    'They need an account at this service already',
    'Ein Konto bei diesem Dienst muss es schon geben',
  ],
  usersOfProduct: ['Users of the product', 'Personen des Produkts'],
  addAUser: ['Add a user', 'Person hinzufügen'],
  managersChangeItTestersTry: [
    'Managers change it; testers try it out.',
    'Betreuende ändern es; Testende probieren es aus.',
  ],
  nobodyElseWorksOnThis: ['Nobody else works on this product', 'Sonst arbeitet niemand an diesem Produkt'],
  publish: ['Publish', 'Veröffentlichen'],
  everybodyOnThisServiceWill: [
    'Everybody on this service will see the product, and owners of devices of its platform can activate them to it.',
    'Alle auf diesem Dienst sehen dann das Produkt, und wem Geräte seiner Plattform gehören, kann sie dafür aktivieren.',
  ],
  whichVersionItsDevicesRun: [
    'Which version its devices run is not changed by this: that is what publishing and tagging bundles does.',
    'Welche Version seine Geräte ausführen, ändert sich dadurch nicht: Das tun Veröffentlichen und Taggen von Bundles.',
  ],
  archive: ['Archive', 'Archivieren'],
  noMoreDevicesCanBe: [
    'No more devices can be activated to the product, and others no longer see it.',
    'Für das Produkt können keine Geräte mehr aktiviert werden, und andere sehen es nicht mehr.',
  ],
  ofItCanStillBe: [
    (device_count: string) => `The ${device_count} of it can still be updated.`,
    (device_count: string) => `${device_count} davon lassen sich weiter aktualisieren.`,
  ],
  itCanBePublishedAgain: ['It can be published again.', 'Es kann wieder veröffentlicht werden.'],
  moveToTrash: ['Move to trash', 'In den Papierkorb'],
  productLeavesEveryListBut: [
    'The product leaves every list but that of the trash. Nothing is deleted, and it can be taken out again.',
    'Das Produkt verschwindet aus jeder Liste außer der des Papierkorbs. Nichts wird gelöscht, und es kann wieder herausgenommen werden.',
  ],
  takeOutOfTrash: ['Take out of the trash', 'Aus dem Papierkorb nehmen'],
  productIsWhatItWas: [
    'The product is what it was before it was put into the trash.',
    'Das Produkt ist wieder, was es vor dem Papierkorb war.',
  ],
  productIsGoneForGood: [
    (bundle_count: string) =>
      `The product is gone for good, and with it ${bundle_count} with all their files, its assets,`,
    (bundle_count: string) =>
      `Das Produkt ist dann endgültig weg, und mit ihm ${bundle_count} mit allen Dateien, seine Assets,`,
  ],
  connectorsAndActivationTokensThis: [
    'connectors and activation tokens. This cannot be undone.',
    'Konnektoren und Aktivierungstokens. Das lässt sich nicht rückgängig machen.',
  ],
  update: ['Update', 'Update'],
  follows: ['Follows', 'Folgt'],
  release: ['release', 'Release'],
  connection: ['Connection', 'Verbindung'],
  searchDevicesOfProduct: ['Search the devices of the product', 'Geräte des Produkts suchen'],
  titleUuidOrMac: ['Title, uuid or MAC', 'Titel, UUID oder MAC'],
  devicesOfProduct: ['Devices of the product', 'Geräte des Produkts'],
  byBundle: ['By bundle', 'Nach Bundle'],
  noDeviceFitsFilters: ['No device fits the filters', 'Kein Gerät passt zu den Filtern'],
  activateOneOnItsPage: [
    'Activate one on its page, or claim it with an activation token of this product.',
    'Eines auf seiner Seite aktivieren oder mit einem Aktivierungstoken dieses Produkts beanspruchen.',
  ],
  noDeviceIsActivatedTo: [
    'No device is activated to this product yet',
    'Noch kein Gerät ist für dieses Produkt aktiviert',
  ],
  changeState: ['Change the state', 'Status ändern'],
  notNow: [(blocked: string) => `Not now: ${blocked}`, (blocked: string) => `Jetzt nicht: ${blocked}`],
  partsOfProduct: ['Parts of the product', 'Teile des Produkts'],
  stateOfProduct: ['State of the product', 'Status des Produkts'],
  productCode: ['product code', 'Produktcode'],
  thisProductIsInTrash: ['This product is in the trash', 'Dieses Produkt ist im Papierkorb'],
  orDeletesItForGood: [', or deletes it for good', ', oder löscht es endgültig'],
  thereIsNoSuchPart: [
    'There is no such part, or it is not yours to see',
    'Diesen Teil gibt es nicht, oder du darfst ihn nicht sehen',
  ],
  toOverview: ['To the overview', 'Zur Übersicht'],
  overview: ['Overview', 'Übersicht'],
  connectors: ['Connectors', 'Konnektoren'],
  users: ['Users', 'Personen'],
  thereIsNothingToShow: ['There is nothing to show yet.', 'Es gibt noch nichts zu zeigen.'],
  preview: ['Preview', 'Vorschau'],
  markdownLinksToWebAnd: [
    'Markdown; links to web and mail addresses only',
    'Markdown; Links nur zu Web- und Mailadressen',
  ],
  textsAreSaved: ['The texts are saved', 'Die Texte sind gespeichert'],
  texts: ['Texts', 'Texte'],
  saveTexts: ['Save the texts', 'Texte speichern'],
  discardChanges: ['Discard the changes', 'Änderungen verwerfen'],
  summary: ['Summary', 'Zusammenfassung'],
  oneLineForListsAnd: ['One line for lists and the store', 'Eine Zeile für Listen und den Store'],
  meta: ['Meta', 'Meta'],
  anythingForProgramsOfYour: [
    'Anything for programs of your own; the service does not read it',
    'Beliebiges für eigene Programme; der Dienst liest es nicht',
  ],
  leaves: [
    (device: string, product: string) => `${device} leaves ${product}. Its title, tag, files and log stay.`,
    (device: string, product: string) => `${device} verlässt ${product}. Titel, Tag, Dateien und Log bleiben.`,
  ],
  trashMeaning: [
    (more: string) =>
      `It is left out of lists, none of its bundles is offered, and it takes nothing new. Its menu takes it out again${more}.`,
    (more: string) =>
      `Es fehlt in Listen, keines seiner Bundles wird angeboten, und es nimmt nichts Neues. Sein Menü nimmt es wieder heraus${more}.`,
  ],
  ownerIs: [(owner: string) => `Owner: ${owner}.`, (owner: string) => `Gehört: ${owner}.`],
  nobody: ['nobody', 'niemandem'],
  onlyOwnerLetsPeopleIn: ['Only the owner lets people in.', 'Personen hinzufügen kann nur, wem es gehört.'],
  activatedToIt: [
    (count: number, devices: string) => `${devices} ${count === 1 ? 'is' : 'are'} activated to it`,
    (count: number, devices: string) => `${devices} ${count === 1 ? 'ist' : 'sind'} dafür aktiviert`,
  ],
  done: [
    {
      publish: (product: string) => `Product ${product} is published`,
      archive: (product: string) => `Product ${product} is archived`,
      trash: (product: string) => `Product ${product} is in the trash`,
      restore: (product: string) => `Product ${product} is out of the trash`,
      delete: (product: string) => `Product ${product} is deleted`,
    },
    {
      publish: (product: string) => `Produkt ${product} ist veröffentlicht`,
      archive: (product: string) => `Produkt ${product} ist archiviert`,
      trash: (product: string) => `Produkt ${product} ist im Papierkorb`,
      restore: (product: string) => `Produkt ${product} ist aus dem Papierkorb genommen`,
      delete: (product: string) => `Produkt ${product} ist gelöscht`,
    },
  ],
  frozenSince: ['since', 'seit'],
  frozenUntil: ['until', 'bis'],
});
