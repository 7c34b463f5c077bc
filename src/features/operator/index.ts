/**
 * Installs and upgrades all components from one KubeVirt object: virt-operator. `createOperator()`
 * returns its controllers; `install/` holds CRDs, RBAC and webhooks, `manifests/` the objects of
 * the components, `packaging/` the Helm chart and the OLM bundle, `rollout/` the order and the
 * soak of an upgrade, `status/` conditions and events, `uninstall/` the removal. Checks before an
 * upgrade are in upgrade-check, certificates in certificates; guests are moved by workload-update.
 */
export { validateInstallation, warnOfInstallation } from './admission.ts'
export { createOperator, type OperatorOptions } from './controller.ts'
export { isInstalledByOperator } from './install/crds.ts'
export { installationManifests, unbundledManifests, type Installation } from './manifests/operator-manifests.ts'
export { helmChart } from './packaging/helm-chart.ts'
export { clusterServiceVersionFile, olmBundle, packageName, type OlmOptions } from './packaging/olm-bundle.ts'
export type { PackageFiles } from './packaging/package-files.ts'
export type { Preflight, PreflightResult, UpgradePath } from './rollout/preflight.ts'
export { runbookUrls } from './monitoring/runbook-urls.ts'
export { isPatchFor, type PatchUnusable } from './manifests/customize-patches.ts'
export { admitUninstall } from './uninstall/index.ts'
export { infraSettingsOf } from './manifests/infra-settings.ts'
export { validatePlacement } from './manifests/placement.ts'
export { fieldVariable, objectsOf, installStrategyOf, restrictedContainer, restrictedPod } from './manifests/install-strategy.ts'
export { formerVersionRetentionMs, rolloutLimits } from './rollout/target-version.ts'
