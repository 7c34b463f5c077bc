/**
 * VirtualMachineExports: offers the disks of a VM, snapshot or claim for download while no one
 * writes to them, with manifests by which another cluster makes the same VM.
 *
 * `createExportController` runs in virt-controller: it keeps a pod with the export server
 * (`server/`), its certificate, token and Service, and reports the links. What a source means is
 * in `source/`. `validateExport` is the admission. It copies no disks: snapshots have copies.
 */
export { validateExport } from './admission.ts'
export { createExportController } from './controller.ts'
