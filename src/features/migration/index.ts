export { completeMigration, validateMigration, validateMigrationUpdate, validatePolicy } from './admission.ts'
export { createMigrationController } from './controller.ts'
