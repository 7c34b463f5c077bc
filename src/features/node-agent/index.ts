/**
 * The node agent (virt-handler) runs the guests of one node: it starts QEMU in launcher pods,
 * resizes, migrates and ends guests, and reports their status in the VMIs.
 *
 * `createNodeAgent` is the component, `predictedChanges` compares the hardware of two VMIs for
 * plans. lifecycle/ has the reconciler; it takes a guest (guest/) from observation to one step at a
 * time. domain/ converts a VMI to a QEMU domain, volumes/ prepares files, hotplug/ resizes running
 * guests and plugs their cards, hardware/ records what guests see, migration/ has both sides of a
 * live migration, network/ connects guests, isolation/ gives their QEMUs users and views,
 * guest-agent/ asks the agents in them, probes/ carries out their probes, access/ serves consoles,
 * displays and ports, guest-metrics/ reads their load at each scrape, and node/ has the heartbeat.
 * Imports between the folders go one way. Scheduling and launcher pods are not done here.
 */
export { predictedChanges } from './hardware/predicted-changes.ts'
export { guestMetrics } from './guest-metrics/samples.ts'
export { createLauncherNetwork } from './network/launcher-network/launcher-network.ts'
export { createGuestIsolation, type GuestIsolation } from './isolation/guest-isolation.ts'
export { createMachineNetwork } from './network/machine-network/machine-network.ts'
export type { GuestNetwork } from './network/guest-network.ts'
export type { Host } from './node/host.ts'
export { createNodeAgent, type NodeAgentOptions } from './node-agent.ts'
