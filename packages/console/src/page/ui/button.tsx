import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icons.js';

interface ButtonProps {
  readonly icon?: IconName;
  readonly kind?: 'primary' | 'danger';
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  readonly class?: string;
  readonly children?: ComponentChildren;
  onClick?(event: MouseEvent): void;
}

export const Button = ({ icon, kind, type = 'button', ...rest }: ButtonProps) => (
  <button {...rest} type={type} class={`button ${kind ?? ''} ${rest.class ?? ''}`}>
    {icon && <Icon name={icon} />}
    {rest.children}
  </button>
);

interface IconButtonProps {
  readonly icon: IconName;
  /** Read by screen readers, and shown as a tooltip. */
  readonly label: string;
  readonly expanded?: boolean;
  onClick(): void;
}

export const IconButton = ({ icon, label, expanded, onClick }: IconButtonProps) => (
  <button
    {...{ type: 'button', class: 'icon-button', title: label, onClick }}
    aria-label={label}
    aria-expanded={expanded}
  >
    <Icon name={icon} />
  </button>
);
