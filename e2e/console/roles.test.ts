import type { ProductRecord } from '@moorage/api';
import { unwrap } from '@moorage/base';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killAll } from '../command-line.ts';
import {
  accessibilityProblems,
  complaints,
  openQuay,
  openSection,
  photograph,
  type Quay,
  skipReason,
} from './harness.ts';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const tabs = (page: Page) => page.getByRole('tab').allTextContents();

describe.skipIf(skipReason)('what is offered to whom', () => {
  let quay: Quay;
  let product: ProductRecord;
  const people = {
    manager: { email: 'mate@example.com', password: 'long enough by far' },
    tester: { email: 'pilot@example.com', password: 'long enough by far' },
    visitor: { email: 'gull@example.com', password: 'long enough by far' },
  };
  const letIn = (user: string, role: 'manager' | 'tester') =>
    quay.client.call('productPeople.add', { params: { product_id: product.id }, body: { user, role } });

  beforeAll(async () => {
    quay = await openQuay();
    for (const body of Object.values(people)) unwrap(await quay.client.as(undefined).call('auth.signup', { body }));
    const platforms = await quay.client.call('platforms.list', {});
    const platform_id = (platforms.ok && platforms.value.value[0]?.id) || '';
    const made = await quay.client.call('products.create', {
      body: { title: 'Channel marker', code: 'MARKER', meta: '', platform_id },
    });
    if (!made.ok) throw new Error(made.error.body.message);
    product = made.value.value;
    unwrap(await letIn(people.manager.email, 'manager'));
  });
  afterAll(async () => {
    await quay?.close();
    killAll();
  });

  test('a manager changes the product, but lets no user in and deletes nothing for good', async () => {
    const page = await quay.open({ as: people.manager, path: `/products/${product.id}` });
    await page.getByRole('textbox', { name: 'Title' }).waitFor();
    expect(await page.getByRole('switch').count()).toBe(0);
    await page.getByText('its devices can be claimed and reset').waitFor();
    await button(page, 'Change the state').click();
    await page.getByRole('menuitem', { name: 'Publish' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Delete' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await openSection(page, 'Settings', 'Users');
    await page.getByText('Only the owner lets people in').waitFor();
    expect(await button(page, 'Add a user').count()).toBe(0);
    expect(await page.getByRole('combobox').count()).toBe(0);
    expect(complaints(page)).toEqual([]);
  });

  test('a tester hears of being let in and put out, and only looks on between', async () => {
    const page = await quay.open({ as: people.tester, path: '/products' });
    const made = await letIn(people.tester.email, 'tester');
    await page.getByRole('link', { name: 'Channel marker' }).click();
    await page.getByRole('heading', { level: 1, name: 'Channel marker' }).waitFor();
    expect(await tabs(page)).toEqual(['Overview', 'Releases', 'Devices']);
    expect(await button(page, 'Change the state').count()).toBe(0);
    await openSection(page, 'Releases');
    const sections = page.getByRole('navigation', { name: 'Sections' }).getByRole('link');
    expect(await sections.allTextContents()).toEqual(['Bundles', 'Assets']);
    await page.getByRole('region', { name: 'Preview (0)' }).waitFor();
    expect(await page.getByRole('region', { name: 'Trash' }).count()).toBe(0);
    expect(await button(page, 'Create a bundle').count()).toBe(0);
    // No event reports this to a tester; the page finds out by asking.
    const body = { code: product.code, title: 'Fairway marker' };
    unwrap(await quay.client.call('products.update', { params: { product_id: product.id }, body }));
    await page.getByRole('heading', { level: 1, name: 'Fairway marker' }).waitFor();
    const user_id = made.ok ? made.value.value.user_id : '';
    unwrap(await quay.client.call('productPeople.remove', { params: { product_id: product.id, user_id } }));
    await page.getByRole('heading', { level: 1, name: 'Product not found' }).waitFor();
    await page.getByText('It may have been deleted, or you are not allowed to see it').waitFor();
    await page.getByRole('link', { name: 'Products' }).first().waitFor();
  });

  test('a visitor reads what is not theirs', async () => {
    const page = await quay.open({ as: people.visitor, path: '/administration' });
    await page.getByText('This page is for administrators').waitFor();
    expect(await page.getByRole('link', { name: 'Administration' }).count()).toBe(0);
    await page.goto(`${quay.url}platforms`);
    await page.getByRole('table', { name: 'Platforms' }).waitFor();
    expect(await button(page, 'New platform').count()).toBe(0);
    await page.goto(`${quay.url}products/harbour`);
    await page.getByText('This address names nothing that exists').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.goto(`${quay.url}account/nowhere`);
    await page.getByRole('link', { name: 'To your details' }).click();
    await page.getByRole('textbox', { name: 'Email' }).fill('gull');
    await page.getByText('An email address looks like').waitFor();
    expect(await button(page, 'Save').isDisabled()).toBe(true);
  });

  test('an owner of a device activates it from the page of a product', async () => {
    const page = await quay.open({ path: `/products/${product.id}` });
    await button(page, 'Activate a device').click();
    const dialog = page.getByRole('dialog', { name: /^Activate a device to/ });
    await dialog.getByRole('combobox', { name: 'Device' }).click();
    await page.getByRole('option').first().click();
    await dialog.getByText(/leaves OWNER-BERTH1_TIDE_GAUGE/).waitFor();
    await photograph(page, 'product-activate');
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Activate the device' }).click();
    await page.getByText(/is activated to OWNER-BERTH1_MARKER/).waitFor();
    await page.getByRole('link', { name: '1 device' }).waitFor();
  });

  test('an administrator takes a product into production and changes its part number', async () => {
    unwrap(await quay.client.call('customers.create', { body: { name: 'acme', title: 'Acme Harbours' } }));
    const page = await quay.open({ path: '/administration' });
    await button(page, 'New customer').click();
    await page.getByRole('textbox', { name: 'Name' }).fill('acme');
    await button(page, 'Add the customer').click();
    // The refusal says what to do, in the dialogue where it can be done.
    await page.getByRole('alert').getByText('Name "acme" exists already. Choose another').waitFor();
    await page.keyboard.press('Escape');
    await button(page, 'Leave').click();
    await button(page, 'New production product').click();
    await page.getByRole('combobox', { name: 'Development product' }).fill('TIDE');
    await page.getByRole('option', { name: /Tide gauge/ }).click();
    await page.getByRole('combobox', { name: 'Customer' }).click();
    await page.getByRole('option', { name: 'Acme Harbours' }).click();
    await page.getByRole('textbox', { name: 'Part number' }).fill('TG-1');
    await button(page, 'Make the production product').click();
    await button(page, 'Change the part number of Tide gauge').click();
    await page.getByRole('textbox', { name: 'Part number' }).fill('TG-2');
    await button(page, 'Save the part number').click();
    await page.getByRole('table', { name: 'Production products' }).getByText('TG-2').waitFor();
    await page.goto(`${quay.url}products?production=true`);
    await page.getByText('ACME-BERTH1_TIDE_GAUGE').waitFor();
    await photograph(page, 'administration-production');
  });

  test('an owner of a customer says who belongs to it, and moves a product there', async () => {
    const body = { name: 'harbour', title: 'Harbour Works', users: [people.manager.email] };
    unwrap(await quay.client.call('customers.create', { body }));
    const page = await quay.open({ as: people.manager, path: '/account' });
    await button(page, 'Accept: Harbour Works').click();
    await page.getByText('You belong to Harbour Works now').waitFor();
    await page.getByRole('tab', { name: 'Organisation' }).click();
    await button(page, 'Add a user').click();
    await page.getByRole('textbox', { name: 'Email or user name' }).fill(people.visitor.email);
    await page.getByRole('combobox', { name: 'Role', exact: true }).click();
    await page.getByRole('option', { name: 'viewer' }).click();
    await page.getByRole('dialog').getByText('Looks at products and devices').waitFor();
    await button(page, 'Invite the user').click();
    const table = page.getByRole('table', { name: 'People of Harbour Works' });
    await table.getByText('invited, has not accepted yet').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await accessibilityProblems(page)).toEqual([]);
    // Taken back, and made again.
    await button(page, `Take back the invitation of ${people.visitor.email}`).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click();
    await page.getByText(`The invitation of ${people.visitor.email} is taken back`).waitFor();
    await button(page, 'Add a user').click();
    await page.getByRole('textbox', { name: 'Email or user name' }).fill(people.visitor.email);
    await button(page, 'Invite the user').click();
    const invited = await quay.open({ as: people.visitor, path: '/account' });
    await button(invited, 'Accept: Harbour Works').waitFor();
    expect(await accessibilityProblems(invited)).toEqual([]);
    await button(invited, 'Accept: Harbour Works').click();
    await invited.getByText('You belong to Harbour Works now').waitFor();
    await page.reload();
    await page.getByRole('combobox', { name: 'Role of gull' }).click();
    await page.getByRole('option', { name: 'operator' }).click();
    await page.getByText('gull is operator now').waitFor();
    const made = await quay.client.call('products.get', { params: { product_id: product.id } });
    const { platform_id } = unwrap(made).value;
    const mates = unwrap(
      await quay.client
        .as(undefined)
        .call('auth.login', { body: { ...people.manager, username: people.manager.email } }),
    );
    const own = { title: 'Leading light', code: 'LIGHT', meta: '', platform_id };
    const light = unwrap(await quay.client.as(mates.value.token).call('products.create', { body: own })).value;
    await page.goto(`${quay.url}products/${light.id}/users`);
    await button(page, 'Move to Harbour Works').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Move to another owner' }).click();
    await page.getByText('Owner: harbour.').waitFor();
    const gull = await quay.open({ as: people.visitor, path: `/products/${light.id}` });
    await gull.getByRole('heading', { level: 1, name: 'Leading light' }).waitFor();
    const sections = gull.getByRole('navigation', { name: 'Sections' }).getByRole('link');
    await openSection(gull, 'Releases');
    expect(await sections.allTextContents()).toContain('Rollouts');
    await openSection(gull, 'Settings');
    expect(await sections.allTextContents()).not.toContain('Connectors');
    expect([...complaints(page), ...complaints(gull)]).toEqual([]);
  });

  test('an administrator moves a product to whichever owner they name', async () => {
    const page = await quay.open({ path: `/products/${product.id}/users` });
    const dialog = page.getByRole('dialog');
    const move = async (): Promise<void> => {
      await dialog.getByRole('button', { name: 'Move to another owner' }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await button(page, 'Move to another owner …').click();
    await page.getByRole('textbox', { name: 'User name or email' }).fill(people.visitor.email);
    expect(await accessibilityProblems(page)).toEqual([]);
    await move();
    await page.getByText('Owner: gull.').waitFor();
    await button(page, 'Move to another owner …').click();
    await dialog.getByText('A customer').click();
    await page.getByRole('combobox', { name: 'Customer' }).click();
    await page.getByRole('option', { name: 'Harbour Works' }).click();
    expect(await accessibilityProblems(page)).toEqual([]);
    await move();
    await page.getByText('Owner: harbour.').waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test('an administrator disables an account, gives it a password, and deletes it', async () => {
    const body = { email: 'tern@example.com', username: 'tern', password: 'long enough by far' };
    unwrap(await quay.client.as(undefined).call('auth.signup', { body }));
    const page = await quay.open({ path: '/administration/accounts?q=tern@' });
    const act = async (item: string): Promise<void> => {
      await button(page, 'Actions for tern').click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    const dialog = page.getByRole('dialog');
    await act('Disable …');
    await page.getByRole('dialog', { name: 'Disable' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Disable', exact: true }).click();
    await page.getByRole('cell', { name: 'disabled' }).waitFor();
    await act('Let in again …');
    await dialog.getByRole('button', { name: 'Let in again', exact: true }).click();
    await page.getByRole('cell', { name: 'disabled' }).waitFor({ state: 'detached' });
    await act('New password …');
    await button(page, 'Make a new password').click();
    await dialog.getByText('is shown this once').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, 'I have copied it').click();
    await act('End sessions …');
    await button(page, 'End them').click();
    await page.getByText('0 ended').waitFor();
    await act('Delete …');
    await dialog.getByText('The account owns nothing').waitFor();
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('No account fits').waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test('a key for status broadcasts is shown once, with the command for the module', async () => {
    const page = await quay.open({ path: '/account/broadcasts' });
    await button(page, 'New key').click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Harbour modules');
    await page.keyboard.press('Enter');
    await page.getByText(new RegExp(`^set broadcast\\.http\\.host ${quay.url}api/broadcasts/\\S+$`)).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, 'I have copied it').click();
    await page.getByText(/^set broadcast/).waitFor({ state: 'detached' });
    await button(page, 'Revoke Harbour modules').click();
    const question = page.getByRole('dialog');
    await question.getByText('refused from the next post on').waitFor();
    await question.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('No keys').waitFor();
  });

  test('a picture that is too large is refused before it is sent', async () => {
    const page = await quay.open({ path: '/account' });
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: Buffer.alloc(3 * 1024 * 1024) });
    await page.getByRole('alert').getByText('The picture has 3 MiB, and may have 1 MiB').waitFor();
    expect(complaints(page)).toEqual([]);
  });
});
