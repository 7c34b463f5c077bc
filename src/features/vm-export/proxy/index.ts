/**
 * Leads clients from outside to export servers, by KubeVirt's external paths. `findExportServer`
 * finds the server of a request, and `createExportProxy` passes it on, in virt-api; in machine mode
 * the API server does.
 */
export { createExportProxy } from './export-proxy.ts'
export { externalPathOf, findExportServer } from './export-publisher.ts'
