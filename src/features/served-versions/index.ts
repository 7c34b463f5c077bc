export { createServedVersionsController } from './controller.ts'
