export { validateClone } from './admission.ts'
export { createCloneController } from './controller.ts'
