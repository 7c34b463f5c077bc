export { admitUninstall } from './admission.ts'
export { createUninstaller, type Uninstaller } from './uninstaller.ts'
