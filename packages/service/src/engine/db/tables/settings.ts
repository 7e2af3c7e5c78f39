/** Small values of the installation: certificate authority, first-run marks. */
export interface SettingTable {
  name: string;
  value: string;
}
