/**
 * DataImportCrons: images that are imported again whenever they change, and the DataSources that
 * name the newest complete one.
 *
 * `createDataImportCronController` runs in virt-controller, `validateDataImportCron` in virt-api.
 * `decide` is the pure part: when to ask for the digest (`digest/`), which import to begin, to
 * remove and to keep (`imports/`), which one the DataSource names, and whether it boots
 * (`verification/`). Workers ask for digests and fill volumes: `#importer`, and
 * `#features/data-volume`.
 */
export { validateDataImportCron, warnOfDataImportCron } from './admission.ts'
export { createDataImportCronController, type DataImportCronControllerOptions } from './controller.ts'
export { names as importNames } from './names.ts'
