/**
 * Configures all components of a virtualization platform from one HyperConverged object. In
 * hyperconverged-operator, `createHyperConvergedOperator` keeps the objects of the components, and
 * `createWebhookServer` admits and converts HyperConverged objects. `prometheusRuleObject` is the
 * source of the manifest of its alerts. `hyperConvergedManifests` and `explainHyperConverged` serve
 * the command line and packages, `featureGateRows` is the table of feature gates. For the check
 * before upgrades, `compareGates` compares it with that of another release, and `renderPlatform`
 * renders the components as this release does. `observeManaged` and `createUninstaller` remove the
 * components in order, for the command line when the operator does not run. `readUpgradeRules`
 * checks the patches that bring HyperConverged objects of older versions to this one,
 * `checkReleases` the upgrade graph of all released versions. Installing the components themselves
 * is left to their own operators, except for `workloads`, which have none. `components/` renders
 * the objects, `configuration/` is about the spec that they follow, `lifecycle/` about upgrade,
 * rollback and removal.
 */
export { operatorCertificatePlan } from './webhooks/certificate-plan.ts'
export { toStoredVersion } from './configuration/conversion/convert.ts'
export { readUpgradeRules } from './lifecycle/upgrade/patches/validate.ts'
export { createHyperConvergedOperator } from './reconcile/controller.ts'
export { componentChangesOf, kubeVirtAfter, type ComponentChange, type PlatformVersion } from './configuration/explain/component-changes.ts'
export { compareGates, publishedGates, type GateChange, type PublishedGate } from './configuration/gates/compare-gates.ts'
export { operatorVersionOf } from './configuration/gates/gate-defaults.ts'
export { featureGateRows, type FeatureGateRow } from './configuration/gates/feature-gates.ts'
export {
  defaultHyperConverged,
  hyperConvergedManifests,
  hyperConvergedPolicies,
  type HyperConvergedInstallation,
} from './manifests/manifests.ts'
export { workloadImageVariables } from './components/workloads/workload-rights.ts'
export { deletionPolicyName } from './manifests/deletion-policy.ts'
export {
  renderPlatform,
  type PlatformObjects,
  type RenderedPlatform,
  type TriedOverride,
} from './configuration/overrides/render-platform.ts'
export { hyperConvergedKey, operatorCertificates, operatorName } from './names.ts'
export { componentDefinitions } from './components/rendering/components.ts'
export { readSettings } from './components/rendering/settings.ts'
export { finalizer } from './lifecycle/uninstall/names.ts'
export { observeManaged, type ManagedObject } from './lifecycle/uninstall/observe.ts'
export { titleOf } from './lifecycle/uninstall/report.ts'
export { createUninstaller, type Uninstaller } from './lifecycle/uninstall/uninstaller.ts'
export { hyperConvergedConverter, registrationNames } from './webhooks/registrations.ts'
export { monitoringObjects, prometheusRuleObject } from './observability/monitoring.ts'
export { createRegistrationState } from './webhooks/registration-state.ts'
export { createWebhookServer } from './webhooks/server.ts'
export { explainHyperConverged, phraseOf, type ExplainedValue } from './configuration/explain/why.ts'
export { addRelease, CatalogInvalid, type CatalogRelease, type ClusterServiceVersion } from './lifecycle/olm/catalog/add-release.ts'
export { checkReleases, type CheckedReleases } from './lifecycle/upgrade/releases/check-releases.ts'
