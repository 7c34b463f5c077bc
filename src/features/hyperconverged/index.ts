/**
 * Configures all components of a virtualization platform from one HyperConverged object. In
 * hyperconverged-operator, `createHyperConvergedOperator` keeps the objects of the components, and
 * `createWebhookServer` admits and converts HyperConverged objects. `hyperConvergedManifests` and
 * `explainHyperConverged` serve the command line, `featureGateRows` is the table of feature gates.
 * Installing the components themselves is left to their own operators.
 */
export { operatorCertificatePlan } from './webhooks/certificate-plan.ts'
export { toStoredVersion } from './conversion/convert.ts'
export { createHyperConvergedOperator } from './controller.ts'
export { componentChangesOf, kubeVirtAfter, type ComponentChange, type PlatformVersion } from './explain/component-changes.ts'
export { featureGateRows, type FeatureGateRow } from './gates/feature-gates.ts'
export { defaultHyperConverged, hyperConvergedManifests, type HyperConvergedInstallation } from './manifests/manifests.ts'
export { hyperConvergedKey, operatorName } from './names.ts'
export { componentDefinitions } from './rendering/components.ts'
export { createWebhookServer } from './webhooks/server.ts'
export { explainHyperConverged, phraseOf, type ExplainedValue } from './explain/why.ts'
