/**
 * Maintains the common instance types and preferences that come with the system.
 * `createCatalogueControllers()` creates and repairs them; `series.ts` defines instance types and
 * `guests.ts` preferences. Edits of these objects are reverted; all other names belong to users.
 */
export { warnOfCatalogue } from './admission.ts'
export { createCatalogueControllers, type CatalogueOptions } from './controllers.ts'
export { catalogueInstancetypes } from './instancetypes.ts'
export { cataloguePreferences } from './preferences.ts'
