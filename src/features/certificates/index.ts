export { createCertificates } from './controller.ts'
export { createServingSource, firstCertificate, followCertificate } from './serving.ts'
export { readTerms } from './terms.ts'
