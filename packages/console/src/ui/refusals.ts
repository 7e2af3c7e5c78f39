import { ApiError } from '../api/client.ts';
import { language } from '../texts/language.ts';
import { adviceByCode, fields, t } from '../texts/refusals.ts';

/** Fields that have no name in the table keep their own. */
const labels: Readonly<Record<string, string>> = fields;

const labelOf = (field: string): string => {
  const name = labels[field] ?? field.replace(/^opts\./, '').replaceAll('_', ' ');
  return name.charAt(0).toUpperCase() + name.slice(1);
};

/** Messages of the service in the language of the console; as they come until the table of that is there. */
let translate = (_code: string, message: string): string => message;
/** What is wrong with a value, as the rest of a sentence about it, in the language of the console. */
export let sayProblem = (problem: string): string => problem;
if (language === 'de') {
  void import('./german-refusals.ts').then(({ inGerman, problemInGerman }) => {
    translate = inGerman;
    sayProblem = problemInGerman;
  });
}

/** What went wrong, in words for the user of a form; without a final period. */
export function sayError(error: Error): string {
  if (!(error instanceof ApiError)) return error.message;
  // Users of a page do not know of bearer tokens.
  if (error.code === 'UNAUTHENTICATED') return t.yourSessionIsOver;
  if (error.code !== 'INVALID_REQUEST') return translate(error.code, error.message);
  // Parameters of a path are no fields of a form: the address was typed, or cut.
  if (/^Field ".+?" of the params /.test(error.message)) return t.thisAddressNamesNothingThat;
  return error.message.replace(
    /Field "(.+?)" of the (?:body|query) (.*?)(?=; Field "|$)/gs,
    (_, field: string, problem: string) => `"${labelOf(field)}" ${sayProblem(problem)}`,
  );
}

/** Codes that say more than their status. */
const advices: Readonly<Record<string, string>> = adviceByCode;

/** What the user can do about a failed call, as a sentence. */
export function adviceFor(error: Error): string {
  if (!(error instanceof ApiError)) return t.reloadPageIfItStays;
  const { status, code } = error;
  const known = advices[code];
  if (known !== undefined) return known;
  if (status === 0) return t.checkThatItIsRunning;
  if (status === 401) return t.signInAgainThenDo;
  if (status === 403) return t.somebodyWithMoreRightsHas;
  if (status === 404) return t.itMayHaveBeenDeleted;
  if (status === 409) return t.somethingElseHasToBe;
  if (status === 429 || status === 503) return t.waitMomentThenTryAgain;
  if (status >= 500) return t.logOfServiceSaysWhy;
  return t.correctItThenTryAgain;
}
