/** End-to-end tests that need the machine for themselves in the long tier, and why. */
export const exclusiveFiles: Readonly<Record<string, string>> = {
  'test/e2e/many-vms.test.ts': 'boots more guests at once than the machine has processors',
  'test/kubernetes/one-machine.long.test.ts': 'installs a cluster of two nodes and runs 31 files against it, in half an hour',
  'test/kubernetes/suites.long.test.ts': 'installs a cluster of two nodes and runs 51 files against it, in an hour',
}
