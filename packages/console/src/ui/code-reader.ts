import { after } from '../browser/time.ts';

/** What browsers have that read codes by themselves; not all do. */
interface Detector {
  detect(picture: ImageData): Promise<readonly { readonly rawValue: string }[]>;
}
interface DetectorClass {
  new (): Detector;
  getSupportedFormats(): Promise<readonly string[]>;
}
declare global {
  interface Window {
    readonly BarcodeDetector?: DetectorClass;
  }
}

/** Reads the code in a picture; undefined when none is seen. */
export type ReadCode = (picture: ImageData) => Promise<string | undefined>;

/** Codes on labels of devices: ours, and those that makers print addresses and serial numbers with. */
const formats = ['QRCode', 'DataMatrix', 'Code128'] as const;

/** A longer side of a picture costs time and shows no code better, in pixels. */
const sideLimitPx = 1600;

/** Between two looks at what the camera shows, in ms. */
const lookMs = 100;

async function ofBrowser(): Promise<ReadCode | undefined> {
  const { BarcodeDetector: Native } = window;
  if (!Native || !(await Native.getSupportedFormats()).includes('qr_code')) return undefined;
  const detector = new Native();
  return async (picture) => (await detector.detect(picture))[0]?.rawValue;
}

/** The reader that is in the console, for browsers without one; both of its files come from the service. */
async function ofConsole(): Promise<ReadCode> {
  const [{ prepareZXingModule, readBarcodes }, { default: address }] = await Promise.all([
    import('zxing-wasm/reader'),
    import('zxing-wasm/reader/zxing_reader.wasm?url'),
  ]);
  await prepareZXingModule({ overrides: { locateFile: () => address }, fireImmediately: true });
  return async (picture) => (await readBarcodes(picture, { formats: [...formats], maxNumberOfSymbols: 1 }))[0]?.text;
}

let reader: Promise<ReadCode> | undefined;

/** What reads codes here, loaded with the first that asks for it. @throws when it cannot be loaded */
function codeReader(): Promise<ReadCode> {
  reader ??= ofBrowser().then((native) => native ?? ofConsole());
  reader.catch(() => {
    reader = undefined;
  });
  return reader;
}

function pixelsOf(source: CanvasImageSource, width: number, height: number): ImageData {
  const scale = Math.min(1, sideLimitPx / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('The browser draws no pictures');
  context.drawImage(source, 0, 0, canvas.width, canvas.height);
  return context.getImageData(0, 0, canvas.width, canvas.height);
}

/** The text of the code in a picture; undefined when none is seen. @throws when the file is no picture */
export async function codeInPicture(file: Blob): Promise<string | undefined> {
  const [picture, read] = await Promise.all([createImageBitmap(file), codeReader()]);
  return read(pixelsOf(picture, picture.width, picture.height));
}

/**
 * Shows the camera, that at the back if there are two, and hands over the texts of the codes that it sees until `signal`
 * aborts: then the camera is off. @throws {DOMException} when there is no camera, or the page may not use it
 */
export async function watchCamera(
  video: HTMLVideoElement,
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<void> {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
  const stop = (): void => {
    for (const track of stream.getTracks()) track.stop();
  };
  signal.addEventListener('abort', stop);
  try {
    video.srcObject = stream;
    // A dialogue that closes meanwhile takes the video along.
    if (!signal.aborted) await video.play();
    const read = await codeReader();
    while (!signal.aborted) {
      const text = await read(pixelsOf(video, video.videoWidth, video.videoHeight));
      if (text !== undefined && !signal.aborted) onText(text);
      await new Promise<void>((resolve) => after(lookMs, resolve));
    }
  } finally {
    stop();
  }
}
