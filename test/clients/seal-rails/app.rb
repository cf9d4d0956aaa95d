# Answers requests for sealed IDs, with the parts of Rails that do so.
require 'action_controller'
require 'active_record'
require 'active_support/all'
require 'rack/mock'
require 'tmpdir'

require_relative '../activerecord/kid64'

ActiveRecord::Base.establish_connection(ENV['DATABASE_URL'])

class Order < ActiveRecord::Base
end

class OrdersController < ActionController::Base
  def show
    render json: Order.find_by!("id = kid64_unseal(?, 'ord', true)", params[:id])
  end
end

routes = ActionDispatch::Routing::RouteSet.new
routes.draw do
  resources :orders, only: :show, constraints: { id: /ord_[0-7][0-9a-hjkmnp-tv-z]{25}/ }
end

# As in an application of Rails.
OrdersController.include(routes.url_helpers)
ActionDispatch::ExceptionWrapper.rescue_responses['ActiveRecord::RecordNotFound'] = :not_found
app = ActionDispatch::ShowExceptions.new(routes, ActionDispatch::PublicExceptions.new(Dir.tmpdir))
show_exceptions = ActiveRecord.gem_version < Gem::Version.new('7.1') ? true : :all
Order.connection.select_values('SELECT encoded FROM texts UNION ALL SELECT encoded FROM wrong').each do |text|
  response = Rack::MockRequest.new(app).get("/orders/#{text}", 'action_dispatch.show_exceptions' => show_exceptions)
  puts "#{response.status} #{text} #{response.status == 200 ? JSON.parse(response.body)['id'] : '-'}"
end
