import type { RawObject } from '#api/scalars.ts'

/** Networks of guests. */
export interface NetworkingConfig {
  /** IPv4 address of the name server for secondary networks. */
  kubeSecondaryDNSNameServerIP?: string
  /** MAC addresses that are given to interfaces without one. */
  kubeMacPoolConfiguration?: KubeMacPoolConfig
  /** Network binding plugins by name. */
  networkBinding?: Record<string, RawObject>
}

/**
 * Range of MAC addresses.
 * @rule has(self.rangeStart) == has(self.rangeEnd); set both rangeStart and rangeEnd, or neither
 */
export interface KubeMacPoolConfig {
  /**
   * First address.
   * @pattern ^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$
   */
  rangeStart?: string
  /**
   * Last address.
   * @pattern ^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$
   */
  rangeEnd?: string
}
