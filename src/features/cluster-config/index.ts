/**
 * Configuration of the cluster from the KubeVirt object, and the defaults that it gives to VMIs.
 * `createLiveConfig` follows the object, `toClusterConfig` is the pure translation,
 * `completeVmiSpecInto` sets the defaults of a VMI, `validateKubeVirt` checks the object.
 * Installing and upgrading components is `operator`.
 */
export { problemsOf, validateKubeVirt, warnOfSettings, whyNotCreated } from './admission.ts'
export { chooseKubeVirt, kubeVirtKey } from './choose-kubevirt.ts'
export { balloonPeriodSeconds } from './components/balloon-period.ts'
export { createComponentEndpoint } from './components/component-endpoint.ts'
export { defineEmulation, defineLeadership, defineReadiness, defineVersion } from './components/component-metrics.ts'
export { followLogVerbosity } from './components/log-verbosity.ts'
export { tlsLimitsOf } from './components/tls-limits.ts'
export { featureGates, isGateOpen } from './feature-gates.ts'
export { createLiveConfig, kubeVirtsIn, type LiveConfig } from './live-config.ts'
export { createConfigurationController } from './controller.ts'
export { pausesUpdates, settingAnnotations } from './setting-annotations.ts'
export { toClusterConfig } from './to-cluster-config.ts'
export { parseWindows, windowAt, windowsProblem, type Window, type WindowState } from './update-windows.ts'
export { defaultClusterConfig, type ClusterConfig, type MigrationDefaults } from './cluster-config.ts'
export { addDefaultNetworkInto, addInputDeviceInto, addMissingDisksInto } from './vmi-defaults/devices.ts'
export { whyMemoryIsFixed } from './vmi-defaults/hotplug.ts'
export { hypervRequirements, isSwitchedOn } from './vmi-defaults/hyperv.ts'
export { ioThreadsPolicies, mostCpus, mostMemory } from './vmi-defaults/limits.ts'
export { stableUuid, uuidIn } from './vmi-defaults/stable-uuid.ts'
export { completeTemplateSpecInto, ensureDomainInto } from './vmi-defaults/template-spec.ts'
export { completeVmiSpecInto } from './vmi-defaults/vmi-spec.ts'
