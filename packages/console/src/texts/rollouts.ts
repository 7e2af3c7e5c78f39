import { texts } from './language.ts';

export const t = texts({
  allHaveEnded: ['all have ended', 'alle sind am Ende'],
  atLeastRun: [
    (percent: number) => `at least ${percent} % run the bundle`,
    (percent: number) => `mindestens ${percent} % führen das Bundle aus`,
  ],
  atMostFail: [
    (percent: number) => `at most ${percent} % have failed`,
    (percent: number) => `höchstens ${percent} % sind fehlgeschlagen`,
  ],
  isOver: [
    {
      finished: 'It has ended: each of its devices has had its turn.',
      stopped: 'It was stopped: nothing more is offered by it.',
    },
    {
      finished: 'Er ist zu Ende: Jedes seiner Geräte war an der Reihe.',
      stopped: 'Er wurde beendet: Er bietet nichts mehr an.',
    },
  ],
  stagesArePlanned: [
    (devices: string) => `Devices are counted when it starts. As planned: ${devices}.`,
    (devices: string) => `Geräte werden beim Start gezählt. Geplant: ${devices}.`,
  ],
  makeItTheRelease: ['Make it the release …', 'Zum Release machen …'],
  conditionIsNotComplete: ['A condition is not complete', 'Eine Bedingung ist nicht vollständig'],
  isMissing: ['Missing', 'Fehlt'],
  stageNeedsPercentageBetween0: [
    (part: number) => `Stage ${part} needs a percentage between 0 and 100`,
    (part: number) => `Stufe ${part} braucht einen Prozentsatz zwischen 0 und 100`,
  ],
  stageHasToReachMore: [
    (part: number, index: number) => `Stage ${part} has to reach more than stage ${index}`,
    (part: number, index: number) => `Stufe ${part} muss mehr erreichen als Stufe ${index}`,
  ],
  stage: ['Stage', 'Stufe'],
  attempt: ['Attempt', 'Versuch'],
  devicesOfRollout: ['Devices of the rollout', 'Geräte des Rollouts'],
  stagePart: [(part: number) => `Stage ${part}`, (part: number) => `Stufe ${part}`],
  kindOfFailure: ['Kind of failure', 'Art des Fehlers'],
  noDeviceFits: ['No device fits', 'Kein Gerät passt'],
  itHasNoDevicesYet: ['It has no devices yet', 'Er hat noch keine Geräte'],
  devicesGetTheirStageWhen: [
    'Devices get their stage when the rollout starts.',
    'Geräte bekommen ihre Stufe, wenn der Rollout startet.',
  ],
  condition: [(number: number) => `Condition ${number}`, (number: number) => `Bedingung ${number}`],
  whatConditionIsAbout: [
    (number: number) => `What condition ${number} is about`,
    (number: number) => `Worum es in Bedingung ${number} geht`,
  ],
  nameInCondition: [
    (number: number) => `Name in condition ${number}`,
    (number: number) => `Name in Bedingung ${number}`,
  ],
  howConditionCompares: [
    (number: number) => `How condition ${number} compares`,
    (number: number) => `Wie Bedingung ${number} vergleicht`,
  ],
  valueOfCondition: [
    (number: number) => `Value of condition ${number}`,
    (number: number) => `Wert von Bedingung ${number}`,
  ],
  removeCondition: [
    (number: number) => `Remove condition ${number}`,
    (number: number) => `Bedingung ${number} entfernen`,
  ],
  counting: ['Counting …', 'Wird gezählt …'],
  howFilterIsWritten: ['How the filter is written', 'Wie der Filter geschrieben wird'],
  conditions: ['Conditions', 'Bedingungen'],
  text: ['Text', 'Text'],
  addCondition: ['Add a condition', 'Bedingung hinzufügen'],
  withoutOneEveryDeviceOf: ['Without one, every device of the product.', 'Ohne Bedingung jedes Gerät des Produkts.'],
  filter: ['Filter', 'Filter'],
  inRsqlLabelRegionEu: [
    'In RSQL: label.region==eu;version=lt=1.2.0.0 (; is and, a comma is or)',
    'In RSQL: label.region==eu;version=lt=1.2.0.0 (; heißt und, ein Komma heißt oder)',
  ],
  online: ['Online', 'Online'],
  stateOfLastUpdate: ['State of the last update', 'Status des letzten Updates'],
  attributeAsText: ['Attribute, as a text', 'Attribut, als Text'],
  attributeAsNumber: ['Attribute, as a number', 'Attribut, als Zahl'],
  isOneOf: ['is one of', 'ist eines von'],
  isSet: ['is set', 'ist gesetzt'],
  isNotSet: ['is not set', 'ist nicht gesetzt'],
  standsForAnything: ['* stands for anything', '* steht für Beliebiges'],
  isNot: ['is not', 'ist nicht'],
  isAtLeast: ['is at least', 'ist mindestens'],
  isBelow: ['is below', 'ist unter'],
  withinLast: ['within the last', 'in den letzten'],
  notWithinLast: ['not within the last', 'nicht in den letzten'],
  yesNowOrOnce: ['yes, now or once', 'ja, jetzt oder je'],
  noNever: ['no, never', 'nein, nie'],
  shareOfFailuresOfAllowed: [
    (shareText: string, percent: number) => `Share of failures, ${shareText} of ${percent} % allowed`,
    (shareText: string, percent: number) => `Anteil der Fehlschläge, ${shareText} von erlaubten ${percent} %`,
  ],
  itCountsFromOn: [(min: number) => `; it counts from ${min} on`, (min: number) => `; gezählt wird ab ${min}`],
  gateAndStops: ['Gate and stops', 'Tor und Stopps'],
  stageBeginsWhenOfStage: [
    (part: number, part2: number) => `Stage ${part} begins when, of stage ${part2},`,
    (part: number, part2: number) => `Stufe ${part} beginnt, wenn von Stufe ${part2}`,
  ],
  lastStageIsOpenNothing: [
    'The last stage is open: nothing comes after it.',
    'Die letzte Stufe ist offen: Danach kommt nichts.',
  ],
  nothingStopsItByItself: [
    'Nothing stops it by itself but a gate that is not met.',
    'Von selbst hält ihn nichts an als ein nicht erfülltes Tor.',
  ],
  version: [(version: string) => `Version ${version}`, (version: string) => `Version ${version}`],
  n1What: ['1. What', '1. Was'],
  partOfItsTitleOr: ['Part of its title or code', 'Teil von Titel oder Code'],
  afterProduct: ['After the product', 'Nach dem Produkt'],
  publishedOne: ['A published one', 'Ein veröffentlichtes'],
  productHasNoPublishedBundle: ['The product has no published bundle', 'Das Produkt hat kein veröffentlichtes Bundle'],
  n2Who: ['2. Who', '2. Wer'],
  afterProductIsChosen: ['After the product is chosen.', 'Sobald das Produkt gewählt ist.'],
  segment: ['Segment', 'Segment'],
  noneFilterOfItsOwn: ['None: a filter of its own', 'Keines: ein eigener Filter'],
  noSegment: ['No segment', 'Kein Segment'],
  stageUpTo: [
    (part: number, percent: number) => `stage ${part} up to ${percent} %`,
    (part: number, percent: number) => `Stufe ${part} bis ${percent} %`,
  ],
  n3Stages: ['3. Stages', '3. Stufen'],
  stages: [(words: string) => `Stages: ${words}`, (words: string) => `Stufen: ${words}`],
  stageUpToPart: [(part: number) => `Stage ${part}, up to %`, (part: number) => `Stufe ${part}, bis %`],
  thenAllThatAreLeft: ['then all that are left', 'danach alle übrigen'],
  addStage: ['Add a stage', 'Stufe hinzufügen'],
  removeStage: ['Remove a stage', 'Stufe entfernen'],
  failedBeforeNextStageAt: [
    'Failed before the next stage, at most %',
    'Vor der nächsten Stufe fehlgeschlagen, höchstens %',
  ],
  any2: ['any', 'beliebig'],
  forAsManyMinutes: ['For as many minutes', 'So viele Minuten lang'],
  atOnce: ['at once', 'sofort'],
  personBeginsEachNextStage: ['A person begins each next stage', 'Eine Person beginnt jede nächste Stufe'],
  pause: ['pause', 'pausieren'],
  abort: ['abort', 'abbrechen'],
  abortAndRollBack: ['abort and roll back', 'abbrechen und zurückrollen'],
  n4Safety: ['4. Safety', '4. Sicherheit'],
  stopWhenHaveFailed: ['Stop when % have failed', 'Anhalten, wenn % fehlgeschlagen sind'],
  never: ['never', 'nie'],
  ofAtLeastDevices: ['of at least, devices', 'von mindestens, Geräte'],
  andThen: ['and then', 'und dann'],
  openUpdatesAtTime: ['Open updates at a time', 'Offene Updates zugleich'],
  anyNumber: ['any number', 'beliebig viele'],
  newOnesInMinute: ['New ones in a minute', 'Neue pro Minute'],
  attemptsAfterFailure: ['Attempts after a failure', 'Versuche nach einem Fehlschlag'],
  tagBundleAtEnd: ['Tag the bundle at the end', 'Am Ende das Bundle taggen'],
  n5Preview: ['5. Preview', '5. Vorschau'],
  whenBundleIsChosenWhat: [
    'When a bundle is chosen, what the rollout would reach is counted here.',
    'Sobald ein Bundle gewählt ist, wird hier gezählt, was der Rollout erreichen würde.',
  ],
  atMostToSend: [
    (devices: string, bytes: string) => `${devices}, at most ${bytes} to send`,
    (devices: string, bytes: string) => `${devices}, höchstens ${bytes} zu senden`,
  ],
  otherPlatform: [
    (stage: number, devices: string) => `Stage ${stage}: ${devices} of another platform`,
    (stage: number, devices: string) => `Stufe ${stage}: ${devices} einer anderen Plattform`,
  ],
  littleFlash: [
    (stage: number, devices: string) => `Stage ${stage}: ${devices} with less free flash than the bundle has bytes`,
    (stage: number, devices: string) => `Stufe ${stage}: ${devices} mit weniger freiem Flash, als das Bundle Bytes hat`,
  ],
  notSeen: [
    (stage: number, devices: string) => `Stage ${stage}: ${devices} not seen for 7 days`,
    (stage: number, devices: string) => `Stufe ${stage}: ${devices} seit 7 Tagen nicht gesehen`,
  ],
  endsAt: [
    (time: string) => `Ends ${time} at the earliest, when all goes well`,
    (time: string) => `Endet frühestens ${time}, wenn alles gut geht`,
  ],
  reaches: [
    (devices: string) => `A bundle that broke every device would reach ${devices} before the rollout stops by itself`,
    (devices: string) =>
      `Ein Bundle, an dem jedes Gerät scheitert, erreicht ${devices}, bevor der Rollout von selbst hält`,
  ],
  reachesAll: [
    (devices: string) => `Nothing stops it by itself: a bundle that broke every device would reach all of ${devices}`,
    (devices: string) =>
      `Nichts hält ihn von selbst: ein Bundle, an dem jedes Gerät scheitert, erreicht alle: ${devices}`,
  ],
  goesBack: [
    (devices: string, version: string) => `Rolled back, ${devices} would get ${version} again`,
    (devices: string, version: string) => `Zurückgerollt bekäme(n) ${devices} wieder ${version}`,
  ],
  whatItHasThen: ['what there is then', 'was es dann gibt'],
  stage2: [
    (part: number, size: number) => `Stage ${part}: ${size}`,
    (part: number, size: number) => `Stufe ${part}: ${size}`,
  ],
  stage3: [(part: number, n: string) => `Stage ${part}: ${n}`, (part: number, n: string) => `Stufe ${part}: ${n}`],
  rolloutIsDraftedNothingIs: [
    'The rollout is drafted; nothing is offered yet',
    'Der Rollout ist entworfen; noch wird nichts angeboten',
  ],
  everythingCanBeLookedAt: [
    'Everything can be looked at before anything is offered.',
    'Alles lässt sich ansehen, bevor etwas angeboten wird.',
  ],
  startRollout: ['Start the rollout', 'Rollout starten'],
  keepDraft: ['Keep the draft', 'Entwurf behalten'],
  startAtOnce: ['Start at once', 'Sofort starten'],
  start: ['Start', 'Starten'],
  firstStageBeginsNowIts: [
    (bundle: string) => `The first stage begins now: its devices are offered version ${bundle}.`,
    (bundle: string) => `Die erste Stufe beginnt jetzt: Ihren Geräten wird Version ${bundle} angeboten.`,
  ],
  pause2: ['Pause', 'Pausieren'],
  resume: ['Resume', 'Fortsetzen'],
  beginNextStage: ['Begin the next stage', 'Nächste Stufe beginnen'],
  stageBeginsNowWhateverGate: [
    (part: number, part2: number) => `Stage ${part} begins now, whatever the gate after stage ${part2} says.`,
    (part: number, part2: number) => `Stufe ${part} beginnt jetzt, was auch immer das Tor nach Stufe ${part2} sagt.`,
  ],
  abort2: ['Abort', 'Abbrechen'],
  nothingMoreIsOfferedAnd: [
    (doneIn: string, bundle: string) =>
      `Nothing more is offered, and this cannot be taken back. ${doneIn} that run version ${bundle} keep it.`,
    (doneIn: string, bundle: string) =>
      `Es wird nichts mehr angeboten, und das lässt sich nicht zurücknehmen. ${doneIn} mit Version ${bundle} behalten sie.`,
  ],
  rollBack: ['Roll back', 'Zurückrollen'],
  thatGotVersionByThis: [
    (doneIn: string, bundle: string) =>
      `${doneIn} that got version ${bundle} by this rollout go back to the version that each had, with their next query; where it is gone, to their tag or the release.`,
    (doneIn: string, bundle: string) =>
      `${doneIn}, die Version ${bundle} durch diesen Rollout bekamen, kehren mit ihrer nächsten Abfrage zu ihrer vorigen Version zurück; gibt es sie nicht mehr, zu ihrem Tag oder dem Release.`,
  ],
  stageOfDoneFailed: [
    (part: number, done: number, total: string, failed: number) =>
      `stage ${part}: ${done} of ${total} done, ${failed} failed`,
    (part: number, done: number, total: string, failed: number) =>
      `Stufe ${part}: ${done} von ${total} fertig, ${failed} fehlgeschlagen`,
  ],
  allHaveEndedOf: [
    (part: number, members: number) => `all have ended: ${part} of ${members}`,
    (part: number, members: number) => `alle sind am Ende: ${part} von ${members}`,
  ],
  atLeastRunBundle: [
    (least: number, shareText: string) => `at least ${least} % run the bundle: ${shareText}`,
    (least: number, shareText: string) => `mindestens ${least} % führen das Bundle aus: ${shareText}`,
  ],
  atMostFailed: [
    (failed_percent: number, shareText: string) => `at most ${failed_percent} % failed: ${shareText}`,
    (failed_percent: number, shareText: string) => `höchstens ${failed_percent} % fehlgeschlagen: ${shareText}`,
  ],
  thatHoldsFor: [
    (secondsWords: string) => `that holds for ${secondsWords}`,
    (secondsWords: string) => `das gilt ${secondsWords} lang`,
  ],
  personBeginsNextStage: ['a person begins the next stage', 'eine Person beginnt die nächste Stufe'],
  failedDevicesTryAgain: ['The failed devices try again', 'Die fehlgeschlagenen Geräte versuchen es noch einmal'],
  tryAgain: [(failed: string) => `Try ${failed} again`, (failed: string) => `${failed} noch einmal versuchen`],
  withBundle: ['With the bundle', 'Mit dem Bundle'],
  devicesThatAreWaitingGet: [
    'Another bundle goes to all devices of the rollout, from its first stage on.',
    'Ein anderes Bundle geht an alle Geräte des Rollouts, von seiner ersten Stufe an.',
  ],
  isFrozenAndPaused: [
    (product: string, paused: string) => `${product} is frozen, and ${paused} paused`,
    (product: string, paused: string) => `${product} ist eingefroren, ${paused} pausiert`,
  ],
  stopEverything: ['Stop everything', 'Alles anhalten'],
  everyRolloutOfPausesAnd: [
    (product: string) =>
      `Every rollout of ${product} pauses, and nothing new is offered to any of its devices until the product is thawed. Updates that are under way go on.`,
    (product: string) =>
      `Jeder Rollout von ${product} pausiert, und keinem seiner Geräte wird etwas Neues angeboten, bis das Produkt aufgetaut ist. Laufende Updates gehen weiter.`,
  ],
  leaveOutWaiting: ['Leave out those that wait', 'Wartende auslassen'],
  leaveOutQuestion: [
    (devices: string) => `${devices} that wait are left out: the rollout ends when the others have ended.`,
    (devices: string) => `${devices}, die noch warten, werden ausgelassen: Das Rollout endet mit den anderen.`,
  ],
  retryFailed: ['Retry the failed …', 'Fehlgeschlagene wiederholen …'],
  emergencyStop: ['Emergency stop …', 'Notstopp …'],
  retryFailedDevices: ['Retry the failed devices', 'Fehlgeschlagene Geräte wiederholen'],
  emergencyStopOf: [
    (product: string) => `Emergency stop of ${product}`,
    (product: string) => `Notstopp von ${product}`,
  ],
  openAtTime: [(open: number) => `${open} open at a time`, (open: number) => `${open} offen zugleich`],
  inMinute: [(per_minute: number) => `${per_minute} in a minute`, (per_minute: number) => `${per_minute} pro Minute`],
  aboutIt: ['About it', 'Angaben'],
  allOfProduct: ['all of the product', 'alle des Produkts'],
  pace: ['Pace', 'Tempo'],
  asFastAsDevicesAsk: ['as fast as devices ask', 'so schnell, wie Geräte fragen'],
  retries: ['Retries', 'Wiederholungen'],
  firstAfterS: [
    (count: number, back_off_s: number) => `${count}, the first after ${back_off_s} s`,
    (count: number, back_off_s: number) => `${count}, die erste nach ${back_off_s} s`,
  ],
  tagAtEnd: ['Tag at the end', 'Tag am Ende'],
  priority: ['Priority', 'Priorität'],
  drafted: ['Drafted', 'Entworfen'],
  started: ['Started', 'Gestartet'],
  notYet: ['not yet', 'noch nicht'],
  ended: ['Ended', 'Beendet'],
  stateOfRollout: ['State of the rollout', 'Status des Rollouts'],
  versionFor: [
    (bundle: string, product: string) => `Version ${bundle} for ${product}`,
    (bundle: string, product: string) => `Version ${bundle} für ${product}`,
  ],
  stages2: ['Stages', 'Stufen'],
  of: [
    (bundle: string, product: string) => `${bundle} of ${product}`,
    (bundle: string, product: string) => `${bundle} von ${product}`,
  ],
  rolloutBringsBundleToDevices: [
    'A rollout brings a bundle to devices in stages, and stops by itself when too many of them fail.',
    'Ein Rollout bringt ein Bundle in Stufen zu den Geräten und hält von selbst an, wenn zu viele davon fehlschlagen.',
  ],
  allStates: ['All states', 'Jeder Status'],
  publishBundleOfProductAnd: [
    'Publish a bundle of a product, and bring it to some of its devices first.',
    'Ein Bundle eines Produkts veröffentlichen und zuerst zu einigen seiner Geräte bringen.',
  ],
  thereAreNoRolloutsYet: ['There are no rollouts yet', 'Es gibt noch keine Rollouts'],
  stage4: [
    (part: number, total: string) => `Stage ${part}: ${total}`,
    (part: number, total: string) => `Stufe ${part}: ${total}`,
  ],
  ofStage: [
    (n: number, label: string, part: number) => `${n} ${label} of stage ${part}`,
    (n: number, label: string, part: number) => `${n} ${label} in Stufe ${part}`,
  ],
  underWay: ['Under way', 'Läuft'],
  out: ['Out', 'Heraus'],
  failuresByKind: ['Failures by kind', 'Fehlschläge nach Art'],
  stopsWhen: [
    {
      pause: (percent: number, min: number, what: string) =>
        `The rollout pauses when ${percent} % of ${min} or more have ${what}.`,
      abort: (percent: number, min: number, what: string) =>
        `The rollout is aborted when ${percent} % of ${min} or more have ${what}.`,
      roll_back: (percent: number, min: number, what: string) =>
        `The rollout is rolled back when ${percent} % of ${min} or more have ${what}.`,
    },
    {
      pause: (percent: number, min: number, what: string) =>
        `Der Rollout pausiert, wenn ${percent} % von ${min} oder mehr ${what}.`,
      abort: (percent: number, min: number, what: string) =>
        `Der Rollout wird abgebrochen, wenn ${percent} % von ${min} oder mehr ${what}.`,
      roll_back: (percent: number, min: number, what: string) =>
        `Der Rollout wird zurückgerollt, wenn ${percent} % von ${min} oder mehr ${what}.`,
    },
  ],
  anyFailure: ['failed', 'fehlgeschlagen sind'],
  failureOfKind: [(kind: string) => `failed: ${kind}`, (kind: string) => `fehlgeschlagen sind: ${kind}`],
  failedOfEnded: [
    (failed: number, ended: number, share: string, floor: number) =>
      `${failed} of ${ended} that have ended: ${share}, at least ${floor} % (95 % sure)`,
    (failed: number, ended: number, share: string, floor: number) =>
      `${failed} von ${ended} beendeten: ${share}, mindestens ${floor} % (zu 95 % sicher)`,
  ],
  noRolloutIs: [(state: string) => `No rollout is ${state}`, (state: string) => `Kein Rollout mit Status „${state}“`],
  fitNow: [
    (count: number, devices: string) => `${devices} ${count === 1 ? 'fits' : 'fit'} now`,
    (count: number, devices: string) => `${devices} ${count === 1 ? 'passt' : 'passen'} jetzt`,
  ],
  is: ['is', 'ist'],
  itIs: [(state: string) => `It is ${state}`, (state: string) => `Status: ${state}`],
  none: ['none', 'keine'],
  canStillBe: ['Can still be', 'Kann noch werden'],
  mayStillAsk: ['May still ask or report', 'Können noch fragen oder melden'],
  rollout: ['Rollout', 'Rollout'],
});
