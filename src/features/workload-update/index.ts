export { createWorkloadUpdateController } from './controller.ts'
