/** End-to-end tests that need the machine for themselves in the long tier, and why. */
export const exclusiveFiles: Readonly<Record<string, string>> = {
  'test/e2e/many-vms.test.ts': 'boots more guests at once than the machine has processors',
}
