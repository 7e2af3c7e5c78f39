import { t } from '../../texts/device.ts';
/** Response codes of a module, in its own words. */
export const responseTexts: Readonly<Record<number, string>> = {
  0: t.success,
  1: t.commandFailed,
  2: t.parseError,
  3: t.unknownCommand,
  4: t.tooFewArguments,
  5: t.tooManyArguments,
  6: t.unknownVariable,
  7: t.invalidArgument,
  8: t.overflow,
  9: t.boundsError,
};

/** Results of an update that a module reports: what they mean, and what can be done about them. */
export const updateResults: Readonly<Record<number, { readonly text: string; readonly advice?: string }>> = {
  0: { text: t.noUpdateSinceItWas },
  1: { text: t.updated },
  2: { text: t.noUpdateWasRequired },
  3: {
    text: t.generalFailure,
    advice: t.lookForBadDataOr,
  },
  4: { text: t.noNetworkNameOrPassword, advice: t.setWlanSsidAndWlan },
  5: { text: t.itCouldNotJoinIts, advice: t.checkNetworkNamePasswordAnd },
  6: { text: t.serviceWasNotReachable, advice: t.checkAddressThatModuleHas },
  7: { text: t.notAuthorised, advice: t.claimModuleLetItIn },
  8: { text: t.badRequest, advice: t.logOfServiceNamesWhat },
  9: { text: t.notFound, advice: t.publishBundleOfItsProduct },
};

/** What a result code of an update says: `Updated`, or the number where it has no meaning. */
export const resultText = (result: number | null): string =>
  result === null ? '—' : (updateResults[result]?.text ?? t.code(result));
