# In Rails the line `gem 'pgkid'` in the Gemfile loads this. Programs without Rails require 'pgkid/active_record'.
require 'active_support/lazy_load_hooks'

ActiveSupport.on_load(:active_record) { require 'pgkid/active_record' }
