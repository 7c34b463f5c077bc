export { createCertificates } from './controller.ts'
export { certificateNames } from './names.ts'
export { createServingSource, firstCertificate, followCertificate } from './serving.ts'
export { readTerms } from './terms.ts'
