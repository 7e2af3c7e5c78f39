import { type ProductCodes, productCodes } from '../products/rules.ts';

/**
 * Codes of a platform's base edition product, `<MAKER>-<PLATFORM>_<EDITION>`. Reference: model 1.1. Its maker is the
 * platform's manufacturer, or the administrator who adds it when the platform names none.
 */
export const editionCodes = (
  platform: { readonly code: string; readonly manufacturer: string | null },
  flavorCode: string,
  administrator: string,
): ProductCodes => productCodes(platform.manufacturer || administrator, platform.code, flavorCode);
