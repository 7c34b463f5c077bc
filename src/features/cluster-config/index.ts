export { chooseKubeVirt } from './choose-kubevirt.ts'
export { createLiveConfig, kubeVirtsIn, type LiveConfig } from './live-config.ts'
export { createConfigurationReconciler } from './reconciler.ts'
export { toClusterConfig } from './to-cluster-config.ts'
