export { createAdmissionHandlers, type AdmissionOptions } from './handlers.ts'
export { publishBundle, register } from './registration.ts'
export type { WebhookEndpoint } from './webhook-configurations.ts'
