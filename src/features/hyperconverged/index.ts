/**
 * Configures all components of a virtualization platform from one HyperConverged object. In
 * hyperconverged-operator, `createHyperConvergedOperator` keeps the objects of the components, and
 * `createWebhookServer` admits and converts HyperConverged objects. `prometheusRuleObject` is the
 * source of the manifest of its alerts. `hyperConvergedManifests` and
 * `explainHyperConverged` serve the command line, `featureGateRows` is the table of feature gates.
 * Installing the components themselves is left to their own operators.
 */
export { operatorCertificatePlan } from './webhooks/certificate-plan.ts'
export { createHyperConvergedOperator } from './controller.ts'
export { featureGateRows, type FeatureGateRow } from './gates/feature-gates.ts'
export { defaultHyperConverged, hyperConvergedManifests, type HyperConvergedInstallation } from './manifests/manifests.ts'
export { hyperConvergedKey, operatorName } from './names.ts'
export { defineHyperConvergedMetrics } from './observability/metrics.ts'
export { prometheusRuleObject } from './observability/monitoring.ts'
export { createWebhookServer } from './webhooks/server.ts'
export { explainHyperConverged, phraseOf, type ExplainedValue } from './why.ts'
