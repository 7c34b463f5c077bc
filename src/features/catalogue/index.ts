/**
 * Maintains the common instance types and preferences that come with the system.
 * `createCatalogueControllers()` creates and repairs them; `series.ts` defines instance types and
 * `guests.ts` preferences. Objects that a user labelled as their own are not overwritten.
 */
export { warnOfCatalogue } from './admission.ts'
export { createCatalogueControllers, type CatalogueOptions } from './controllers.ts'
