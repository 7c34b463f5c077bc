export { admitUninstall } from './refuse.ts'
export { createUninstaller, type Uninstaller } from './uninstaller.ts'
