/**
 * Removes an installation in order when its KubeVirt object is deleted. `createUninstaller` takes
 * one step per reconcile, `admitUninstall` refuses the deletion while guests block it. It removes
 * only what the operator installs.
 */
export { admitUninstall } from './refuse.ts'
export { createUninstaller, type Uninstaller } from './uninstaller.ts'
