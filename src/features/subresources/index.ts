export { subresourcesApiServices, type SubresourcesService } from './api-services.ts'
export { subresourcesGroup, type SubresourcesOptions } from './group.ts'
