import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unwrap } from '@moorage/base';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killAll } from '../command-line.ts';
import { type DeviceScene, openDeviceScene } from './device-scene.ts';
import { accessibilityProblems, complaints, expectNoSideways, photograph, skipReason } from './harness.ts';

const owner = { email: 'skipper@example.com', password: 'long enough by far' };

/** Keeps what the camera gives, so that a test can see whether it is off. */
const keepStream = `
  const { mediaDevices } = navigator;
  const ask = mediaDevices.getUserMedia.bind(mediaDevices);
  mediaDevices.getUserMedia = async (wanted) => (window.seen = await ask(wanted));
`;

/** A browser that reads codes by itself, as those of phones do. */
const readsByItself = (text: string): string => `
  window.BarcodeDetector = class {
    static getSupportedFormats = async () => ['qr_code'];
    detect = async () => [{ rawValue: ${JSON.stringify(text)} }];
  };
`;

const scan = async (page: Page) => {
  await page.getByRole('button', { name: 'Scan a code' }).click();
  return page.getByRole('dialog', { name: 'Scan a code' });
};

describe.skipIf(skipReason)('codes on labels', () => {
  let scene: DeviceScene;
  let folder: string;
  /** The label of the module as a printer has it, large enough for a camera. */
  let label: { readonly png: Buffer; readonly jpeg: Buffer };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'moorage-scan-'));
    scene = await openDeviceScene();
    unwrap(await scene.quay.client.as(undefined).call('auth.signup', { body: owner }));
    const page = await scene.quay.open({ path: '/devices' });
    await page.getByRole('checkbox', { name: `Select ${scene.device.title}` }).check();
    await page.getByRole('button', { name: 'More …' }).click();
    await page.getByRole('menuitem', { name: 'Label sheet …' }).click();
    const code = page.getByRole('img', { name: `Code of ${scene.device.title}` });
    await code.evaluate((svg) => svg.setAttribute('style', 'width: 480px; height: 480px'));
    const { x = 0, y = 0 } = (await code.boundingBox()) ?? {};
    // Films have an even number of pixels.
    const clip = { x: Math.round(x), y: Math.round(y), width: 480, height: 480 };
    label = { png: await code.screenshot(), jpeg: await page.screenshot({ type: 'jpeg', clip }) };
  });
  afterAll(async () => {
    await scene?.close();
    await rm(folder, { recursive: true, force: true });
    killAll();
  });

  test('the camera reads a label: the page of its device opens, and the camera is off', async () => {
    const camera = join(folder, 'label.mjpeg');
    await writeFile(camera, label.jpeg);
    const page = await scene.quay.open({ path: '/', width: 'phone', camera });
    await page.addInitScript(keepStream);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(new URL('/devices', scene.quay.url).href);
    await scan(page);
    await page.getByRole('heading', { level: 1, name: scene.device.title }).waitFor();
    expect(new URL(page.url()).pathname).toBe(scene.path());
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate('seen.getTracks().map(({ readyState }) => readyState)')).toEqual(['ended']);
    // The reader came from the service, as all else.
    expect(asked.filter((url) => url.endsWith('.wasm'))).toHaveLength(1);
    expect(asked.filter((url) => !/^(blob|data):/.test(url) && !url.startsWith(scene.quay.url))).toEqual([]);
    expect(complaints(page)).toEqual([]);
  });

  test('the camera is off when the dialogue is closed before a code is seen', async () => {
    const blank = await scene.quay.open({ path: '/devices/labels' });
    const camera = join(folder, 'blank.mjpeg');
    await writeFile(camera, await blank.screenshot({ type: 'jpeg', clip: { x: 0, y: 0, width: 320, height: 240 } }));
    const page = await scene.quay.open({ path: '/', camera });
    await page.addInitScript(keepStream);
    await page.goto(new URL('/devices', scene.quay.url).href);
    const dialog = await scan(page);
    await expect.poll(() => page.evaluate('document.querySelector("video")?.videoWidth')).toBe(320);
    await photograph(page, 'scan');
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.evaluate('seen.getTracks().map(({ readyState }) => readyState)')).toEqual(['ended']);
    expect(complaints(page)).toEqual([]);
  });

  test('without a camera it says why, and reads a picture of the label', async () => {
    const page = await scene.quay.open({ path: '/devices', width: 'phone' });
    const dialog = await scan(page);
    await dialog.getByRole('alert').waitFor();
    await photograph(page, 'scan-without-camera');
    expect(await accessibilityProblems(page)).toEqual([]);
    await expectNoSideways(page);
    const choose = (name: string, mimeType: string, buffer: Buffer) =>
      dialog.page().setInputFiles('input[type=file]', { name, mimeType, buffer });
    await choose('notes.png', 'image/png', Buffer.from('no picture'));
    await dialog.getByText('notes.png is no picture').waitFor();
    await choose('heading.png', 'image/png', await page.getByRole('heading', { level: 1 }).screenshot());
    await dialog.getByText('No code is to be seen in heading.png').waitFor();
    await choose('label.png', 'image/png', label.png);
    await page.getByRole('heading', { level: 1, name: scene.device.title }).waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test('over an insecure line it says that the camera needs https', async () => {
    const page = await scene.quay.open({ path: '/' });
    await page.addInitScript(`Object.defineProperty(navigator, 'mediaDevices', { value: undefined })`);
    await page.goto(new URL('/devices', scene.quay.url).href);
    await (await scan(page)).getByText('only over https').waitFor();
  });

  test('a browser that reads codes by itself loads no reader, and codes of other things are named', async () => {
    const page = await scene.quay.open({ path: '/' });
    await page.addInitScript(readsByItself('https://example.com/menu'));
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(new URL('/devices', scene.quay.url).href);
    const dialog = await scan(page);
    await page.setInputFiles('input[type=file]', { name: 'a.png', mimeType: 'image/png', buffer: label.png });
    await dialog.getByText('"https://example.com/menu" is no code of a device').waitFor();
    expect(asked.filter((url) => url.endsWith('.wasm'))).toEqual([]);
  });

  // API-RULE-ids-1
  test("a label of a device that is nobody's leads to how it is claimed, and then to its page", async () => {
    const { quay, device, line } = scene;
    unwrap(await quay.client.call('devices.reset', { params: { device_id: device.id } }));
    const page = await quay.open({ as: owner, path: '/devices', width: 'phone' });
    await scan(page);
    await page.setInputFiles('input[type=file]', { name: 'label.png', mimeType: 'image/png', buffer: label.png });
    await page.getByText('Is the device in your hands').waitFor();
    await page.getByText('dms claim skipper <password>').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await expectNoSideways(page);
    await line.run(`dms claim skipper "${owner.password}"`);
    await page.getByRole('tab', { name: 'Overview' }).waitFor();
    await page.getByText('Is the device in your hands').waitFor({ state: 'detached' });
    const { value } = unwrap(await quay.client.call('devices.get', { params: { identifier: device.id } }));
    expect(value.user).toBe('skipper');
  });
});
