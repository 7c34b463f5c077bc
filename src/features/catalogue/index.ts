export { warnOfCatalogue } from './admission.ts'
export { createCatalogueControllers, type CatalogueOptions } from './controllers.ts'
