export { createAdmissionHandlers, type AdmissionOptions } from './handlers.ts'
export { webhookConfigurations, type WebhookEndpoint } from './webhook-configurations.ts'
