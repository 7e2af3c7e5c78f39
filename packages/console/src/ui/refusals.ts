import type { ErrorCode } from '@moorage/api';
import { ApiError } from '../api/client.ts';

/** Fields of bodies under the names that their inputs have here; others keep their own. */
const labels: Readonly<Record<string, string>> = {
  part_id: 'Part id',
  part_number: 'Part number',
  uses: 'Devices that can be claimed with it',
  filename: 'Name of the file',
  name_given: 'Given name',
  name_family: 'Family name',
  current_password: 'Current password',
  platform_id: 'Platform',
  firmware_id: 'Firmware',
  flavor_id: 'Edition',
  product_id: 'Product',
  'opts.url': 'URL',
  'opts.ca': 'Certificate',
};

const labelOf = (field: string): string => {
  const name = labels[field] ?? field.replace(/^opts\./, '').replaceAll('_', ' ');
  return name.charAt(0).toUpperCase() + name.slice(1);
};

/** What went wrong, in words for the user of a form; without a final period. */
export function sayError(error: Error): string {
  if (!(error instanceof ApiError)) return error.message;
  // Users of a page do not know of bearer tokens.
  if (error.code === 'UNAUTHENTICATED') return 'Your session is over';
  if (error.code !== 'INVALID_REQUEST') return error.message;
  // Parameters of a path are no fields of a form: the address was typed, or cut.
  if (/^Field ".+?" of the params /.test(error.message)) return 'This address names nothing that exists';
  return error.message.replace(/Field "(.+?)" of the (?:body|query) /g, (_, field: string) => `"${labelOf(field)}" `);
}

/** What the user can do about a refusal, where its status alone does not say enough. */
const adviceByCode: Partial<Readonly<Record<ErrorCode, string>>> = {
  WRONG_PASSWORD: 'Type the password that you signed in with.',
  WRONG_LOGIN: 'Check both, also whether capital letters are locked.',
  CROSS_SITE: 'Reload the page, and do it again from there.',
  DUPLICATE: 'Choose another, or change the one that is there.',
  NOT_AN_IMAGE: 'Choose a picture of one of these kinds.',
  UPLOAD_CUT: 'Send the file again.',
  UPLOAD_STALLED: 'Check your network, then send the file again.',
  TARGET_NOT_ALLOWED: 'Choose a public address, or have whoever runs the service allow this one.',
  CONNECTOR_FAILED: 'Check the address and what its service says, then test again.',
  CONNECTOR_TIMED_OUT: 'Check that the target is up, or give it more time in the options, then test again.',
  BUNDLE_FROZEN: 'Create another bundle for other files.',
  BUNDLE_NOT_PUBLISHED: 'Publish it first.',
  BUNDLE_TAGGED: 'Its menu has "Change the tag".',
  ILLEGAL_TRANSITION: 'Somebody may have changed it meanwhile; the page shows what it is now.',
  PRODUCT_IN_USE: 'Activate its devices to another product first.',
  PRODUCT_ARCHIVED: 'Publish the product again, or choose another.',
  NO_RELEASE_CANDIDATE: 'Tag one of its published bundles first.',
  PLATFORM_WITHOUT_EDITION: 'An administrator has to add an edition to the platform first.',
  STORE_FULL: 'Delete what is no longer needed, or send less.',
  LIMIT_REACHED: 'Remove one that is no longer needed.',
  VERSIONS_EXHAUSTED: 'Type a version that is not taken.',
  BODY_TOO_LARGE: 'Send a smaller file.',
  DEVICE_LOCKED: 'Its owner can take it off that product, back to the base edition of its platform.',
  PRODUCTION_DEVICE: 'Its owner has to take it off that product first, back to the base edition of its platform.',
  PLATFORM_MISMATCH: 'Choose one of the same platform.',
  STORAGE_FULL: 'Tell whoever runs the service: its disk is full.',
  INTERNAL: 'Try again; if it fails again, tell whoever runs the service: its log says why.',
};

/** What the user can do about a failed call, as a sentence. */
export function adviceFor(error: Error): string {
  if (!(error instanceof ApiError)) return 'Reload the page; if it stays like this, tell whoever runs the service.';
  const { status, code } = error;
  // Safe: looked up, not assumed to be there.
  const known = adviceByCode[code as ErrorCode];
  if (known !== undefined) return known;
  if (status === 0) return 'Check that it is running and that your network works; this page tries again.';
  if (status === 401) return 'Sign in again, then do it once more.';
  if (status === 403) return 'Somebody with more rights has to do this, or has to let you in.';
  if (status === 404) return 'It may have been deleted, or you are not allowed to see it.';
  if (status === 409) return 'Something else has to be changed first.';
  if (status === 429 || status === 503) return 'Wait a moment, then try again.';
  if (status >= 500) return 'The log of the service says why.';
  return 'Correct it, then try again.';
}
