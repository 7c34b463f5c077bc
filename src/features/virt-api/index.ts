/**
 * Composes the admission handlers of virt-api from those of the features.
 * `createAdmissionHandlers()` answers AdmissionReviews by path, and `registrations()` renders the
 * webhook configurations and APIServices that call them. Rules of single kinds are in the features;
 * the HTTP server is in cmd/virt-api.ts.
 */
export { createAdmissionHandlers, type AdmissionOptions } from './handlers.ts'
export { reviewSchema } from './review-schemas.ts'
export { checkBelieved, registrations } from './registration.ts'
export { storedOnlyKinds } from './stored-only.ts'
