/**
 * Issues and renews the certificates of an installation in KubeVirt's Secrets and ConfigMap.
 * `createCertificates()` is the controller in virt-operator, and `createServerCertificates()` that
 * of a server of its own; `createServingSource()` and
 * `followCertificate()` let virt-api serve a renewed certificate once its clients trust the CA. A
 * machine's own PKI is in machine/pki, and certificate cryptography in runtime/certificates.
 */
export { bundlesOf, withBundle, type Registration } from './ca-bundle.ts'
export { createCertificates, createServerCertificates } from './controller.ts'
export { createExportAuthoritySource, exportAuthorityTerms } from './export-authority.ts'
export { certificateNames, workerClientName } from './names.ts'
export type { CertificatePair } from './observe.ts'
export type { CertificatePlan } from './plan.ts'
export { createServingSource, firstCertificate, followCertificate, type ServingSource } from './serving.ts'
export { certificateDurationsOf, readCertificateDurations } from './durations.ts'
