export { createAdmissionHandlers, type AdmissionOptions } from './handlers.ts'
export { reviewSchema } from './review-schemas.ts'
export { checkBelieved, registrations } from './registration.ts'
export type { WebhookEndpoint } from './webhook-configurations.ts'
