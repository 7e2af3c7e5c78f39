import { expect, it } from 'vitest';
import { fileAddress } from './export-menu.tsx';

it('the address of a whole list keeps filters and order, and leaves the page', () => {
  const page = '/api/devices?q=a%26b&sort=-title&limit=50&offset=100';
  expect(fileAddress(page, 'csv')).toBe('/api/devices?q=a%26b&sort=-title&format=csv');
  expect(fileAddress('/api/customers', 'jsonl')).toBe('/api/customers?format=jsonl');
});
