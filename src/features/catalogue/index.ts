export { createCatalogueControllers, type CatalogueOptions } from './controllers.ts'
