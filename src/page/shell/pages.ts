/**
 * The pages there are, each with its one question, and how its code is loaded when it is first
 * looked at. A new page is a row here, an id in `session/place.ts` and a folder.
 */
import type { VNode } from "preact";
import type { KeyId } from "../control/keyTable.ts";
import type { IconName } from "../parts/icon.tsx";
import type { PageId } from "../session/place.ts";

interface PageEntry {
  readonly title: string;
  readonly question: string;
  /** In the rail; a page without one is not in it. */
  readonly icon?: IconName | undefined;
  /** The key that leads there. */
  readonly key?: KeyId | undefined;
  /** True when the page is about one container, so that the switcher keeps to it. */
  readonly isAboutContainer?: boolean | undefined;
  readonly load: () => Promise<() => VNode>;
}

export const PAGES: Readonly<Record<PageId, PageEntry>> = {
  overview: {
    title: "Overview",
    question: "Is anything wrong, and where?",
    icon: "overview",
    key: "overview",
    load: async () => {
      const { OverviewPage } = await import("../overview/overviewPage.tsx");
      return OverviewPage;
    },
  },
  explorer: {
    title: "Explorer",
    question: "What is in here, and what does this query cost?",
    icon: "explorer",
    key: "explorer",
    isAboutContainer: true,
    load: async () => {
      const { ExplorerPage } = await import("../explorer/explorerPage.tsx");
      return ExplorerPage;
    },
  },
  partitions: {
    title: "Partitions",
    question: "How is the data placed, and where is the load?",
    icon: "partitions",
    key: "partitions",
    isAboutContainer: true,
    load: async () => {
      const { PartitionsPage } = await import("../partitions/partitionsPage.tsx");
      return PartitionsPage;
    },
  },
  lab: {
    title: "Lab",
    question: "Which partition key should this container have?",
    icon: "lab",
    key: "lab",
    isAboutContainer: true,
    load: async () => {
      const { LabPage } = await import("../lab/labPage.tsx");
      return LabPage;
    },
  },
  jobs: {
    title: "Jobs",
    question: "What is being changed, how far is it, can I stop it?",
    icon: "jobs",
    key: "jobs",
    load: async () => {
      const { JobsPage } = await import("../jobs/jobsPage.tsx");
      return JobsPage;
    },
  },
  alerts: {
    title: "Alerts",
    question: "What should I know before users notice?",
    icon: "alerts",
    key: "alerts",
    load: async () => {
      const { AlertsPage } = await import("../alerts/alertsPage.tsx");
      return AlertsPage;
    },
  },
  requests: {
    title: "Requests",
    question: "What do clients ask, and why is it refused?",
    key: "requests",
    load: async () => {
      const { RequestsPage } = await import("../requests/requestsPage.tsx");
      return RequestsPage;
    },
  },
  settings: {
    title: "Settings",
    question: "How do I connect, and how should this look?",
    icon: "settings",
    key: "settings",
    load: async () => {
      const { SettingsPage } = await import("../settings/settingsPage.tsx");
      return SettingsPage;
    },
  },
  examples: {
    title: "Examples",
    question: "What are pages made of?",
    load: async () => {
      const { ExamplesPage } = await import("../examples/examplesPage.tsx");
      return ExamplesPage;
    },
  },
};
