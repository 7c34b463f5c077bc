export { createWorkloadUpdateController } from './controller.ts'
export { updateNames } from './names.ts'
export { workloadUpdateSettings } from './settings.ts'
