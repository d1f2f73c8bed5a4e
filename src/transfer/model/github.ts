import type { TaskId } from '#core/model/scalars.ts';

/** An issue as the REST API returns it, without the fields that a sync does not need. */
export interface GithubIssue {
  /** Identifies the issue in requests about sub-issues and dependencies. */
  id: number;
  number: number;
  title: string;
  body: string;
  state: string;
  state_reason: string | null;
  labels: { name: string }[];
  assignees: { login: string }[];
  milestone: { title: string; due_on: string | null } | null;
  type: { name: string } | null;
  user: { login: string } | null;
  author_association: string;
  created_at: string;
  updated_at: string;
  closed_at: string | null;
  html_url: string;
  parent_issue_url: string | null;
  hasSubIssues: boolean;
  hasBlockers: boolean;
}

export interface GithubComment {
  id: number;
  /** The number of its issue. */
  issue: number;
  body: string;
  user: { login: string } | null;
  author_association: string;
  created_at: string;
}

export interface LinkedIssue {
  id: number;
  number: number;
  url: string;
}

/** An issue with everything that belongs to it. */
export interface IssueState {
  issue: GithubIssue;
  comments: GithubComment[];
  subIssues: LinkedIssue[];
  blockedBy: LinkedIssue[];
}

/** The changes that bring an issue in line with its task. */
export interface IssueChanges {
  patch: {
    title?: string;
    body?: string;
    state?: 'open' | 'closed';
    state_reason?: 'completed' | 'not_planned' | 'duplicate' | 'reopened';
    labels?: string[];
    assignees?: string[];
  };
  /** The issue that becomes the parent, or null if the issue leaves its parent. */
  parent?: LinkedIssue | null;
  addBlockers: LinkedIssue[];
  removeBlockers: LinkedIssue[];
  comments: string[];
}

/** Something that is not written to GitHub, with the reason. */
export interface PushLoss {
  taskId: TaskId;
  field: string;
  why: string;
}
