import { type Language, language } from './language.ts';

/** Why things are as they are, as the service says it, and in German with what it has put in. */
const inGerman: readonly (readonly [english: RegExp, german: string])[] = [
  [/^The device is blocked$/, 'Das Gerät ist gesperrt'],
  [/^Nothing new is offered in the product: (.*)$/s, 'Im Produkt wird nichts Neues angeboten: $1'],
  [/^The device is held here: (.*)$/s, 'Das Gerät wird hier festgehalten: $1'],
  [/^The rollout "(.*)" is rolled back, at its pace$/s, 'Der Rollout „$1“ wird zurückgenommen, in seinem Tempo'],
  [/^The rollout "(.*)" brings it$/s, 'Der Rollout „$1“ bringt sie'],
  [/^No published bundle of the product carries a tag$/, 'Kein veröffentlichtes Bundle des Produkts trägt ein Tag'],
  [/^The device follows the tag "(.*)"$/s, 'Das Gerät folgt dem Tag „$1“'],
  [/^It is the release of the product$/, 'Sie ist das Release des Produkts'],
  [/^The download was not complete after (\d+) days$/, 'Der Download war nach $1 Tagen nicht vollständig'],
  [
    /^The device did not come back within (\d+) hours of its restart$/,
    'Das Gerät kam nach seinem Neustart nicht binnen $1 Stunden zurück',
  ],
  [/^The client has cancelled the update$/, 'Der Client hat das Update abgebrochen'],
  [/^Emergency stop: (.*)$/s, 'Notstopp: $1'],
  [
    /^The gate of stage (\d+) is not met: (\d+) of (\d+) devices run the bundle, (\d+) failed$/,
    'Das Tor von Stufe $1 bleibt zu: $2 von $3 Geräten führen das Bundle aus, $4 sind fehlgeschlagen',
  ],
  [/^No signal came for stage (\d+) within (\d+) s$/, 'Für Stufe $1 kam binnen $2 s kein Signal'],
  [/^The signal says no$/, 'Das Signal sagt nein'],
  [/^Stage (\d+) soaks$/, 'Stufe $1 wird beobachtet'],
  [/^Stage (\d+) waits for a signal$/, 'Stufe $1 wartet auf ein Signal'],
  [/^Stage (\d+) waits for a person$/, 'Stufe $1 wartet auf eine Person'],
  [/^It was stopped$/, 'Sie wurde angehalten'],
  [/^The service ended while it ran$/, 'Der Dienst endete, während sie lief'],
];

/** A reason that the service gives, in the language of the console; what people or devices have said stays as it is. */
export function sayReason(reason: string, to: Language = language): string {
  const known = to === 'de' ? inGerman.find(([english]) => english.test(reason)) : undefined;
  return known ? reason.replace(...known) : reason;
}
