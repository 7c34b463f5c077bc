export { createWorkloadUpdateController } from './controller.ts'
export { updateNames } from './names.ts'
export { settingsOf } from './settings.ts'
